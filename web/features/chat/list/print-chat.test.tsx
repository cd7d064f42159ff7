import { act, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { articles, message, openChat, reply } from '../../../testing/chat-scene.tsx'
import { makeChat } from '../../../testing/wire-objects.ts'

const longPath = Array.from({ length: 80 }, (_, index) =>
  index % 2 === 0
    ? message(`m${index}`, index === 0 ? null : `m${index - 1}`, { content: `Question ${index}` })
    : reply(`m${index}`, `m${index - 1}`, { content: `**Ans**wer ${index}` }),
)

test('a print draws every message, with the title and the days of the chat, and screen draws few again', async () => {
  openChat(makeChat(longPath))
  await waitFor(() => expect(articles().length).toBeGreaterThan(10))
  const drawn = articles().length
  expect(drawn).toBeLessThan(80)
  act(() => void dispatchEvent(new Event('beforeprint')))
  expect(articles()).toHaveLength(80)
  const list = screen.getByRole('region', { name: 'Messages' })
  expect(list.querySelector('header')).toHaveTextContent(/^Question 0\d{4}-\d\d-\d\d/)
  expect(list.closest('[data-around-print]')).not.toBeNull()
  act(() => void dispatchEvent(new Event('afterprint')))
  expect(articles()).toHaveLength(drawn)
  expect(list.closest('[data-around-print]')).toBeNull()
}, 60_000)
