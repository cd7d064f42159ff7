import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { Message } from '@yonder/contract/message'
import { expect, test, vi } from 'vitest'
import { makeMessage } from '../../../testing/wire-objects.ts'
import { ContentsList } from './contents-list.tsx'

const makeUserMessages = (count: number): readonly Message[] =>
  Array.from({ length: count }, (_, index) =>
    makeMessage(`u${index + 1}`, null, { content: `**Question** ${index + 1}` }),
  )

function open(count: number) {
  const onSelect = vi.fn<(id: string) => void>()
  render(<ContentsList userMessages={makeUserMessages(count)} rowHeight={32} onSelect={onSelect} />)
  return onSelect
}

test('lists the titles of the user messages and marks the one in view (§2.27, §2.36)', async () => {
  const onSelect = open(3)
  const rows = screen.getAllByRole('button')
  expect(rows.map((row) => row.textContent)).toEqual(['Question 1', 'Question 2', 'Question 3'])
  expect(screen.getByRole('button', { current: 'location' })).toHaveTextContent('Question 3')
  await userEvent.click(rows[0] as HTMLElement)
  expect(onSelect).toHaveBeenCalledExactlyOnceWith('u1')
})

test('has the height of all entries of a long chat, but renders only the entries in view', () => {
  open(5000)
  const list = screen.getByRole('list')
  expect(list.style.height).toBe(`${5000 * 32}px`)
  const items = screen.getAllByRole('listitem')
  expect(items.length).toBeLessThan(60)
  expect(items[0]).toHaveAttribute('aria-setsize', '5000')
  expect(items[0]).toHaveAttribute('aria-posinset', '1')
})

test('is one tab stop, and the arrow keys move inside it', async () => {
  const onSelect = open(5000)
  await userEvent.tab()
  expect(screen.getByText('Question 5000').closest('button')).toHaveFocus()
  await userEvent.keyboard('{ArrowUp}')
  expect(screen.getByText('Question 4999').closest('button')).toHaveFocus()
  await userEvent.keyboard('{Home}')
  expect(screen.getByText('Question 1').closest('button')).toHaveFocus()
  await userEvent.keyboard('{ArrowDown}{Enter}')
  expect(onSelect).toHaveBeenCalledExactlyOnceWith('u2')
  await userEvent.keyboard('{End}')
  expect(screen.getByText('Question 5000').closest('button')).toHaveFocus()
  await userEvent.tab()
  expect(document.body).toHaveFocus()
})
