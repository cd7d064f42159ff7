import { act, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { reply, chatOf, message, openToolChat, send, waitForTurnEnd } from '../../testing/tool-chat-scene.tsx'

it('names the tab after the first message, shortened, once the chat is loaded, and requests the chat once', async () => {
  const long = '**Bake** bread\nwith seeds, salt, water and whatever else is left'
  const opening = openToolChat(
    chatOf(message('u1', null, { content: long }), reply('a1', 'u1'), message('u2', 'a1')),
  )
  expect(document.title).toBe('Chat · Yonder')
  const { api } = await opening
  expect(document.title).toBe('Bake bread with seeds, salt, water and w... · Yonder')
  expect(api.seen('GET /api/chats/c1')).toHaveLength(1)
})

it("names the tab of an empty chat 'Chat', and after its first message once that is sent", async () => {
  const { api } = await openToolChat(chatOf())
  expect(document.title).toBe('Chat · Yonder')
  const stream = await send(api, 'Bake bread')
  await waitFor(() => expect(document.title).toBe('Bake bread · Yonder'))
  stream.text('Take flour.')
  stream.end()
  await waitForTurnEnd()
  expect(document.title).toBe('Bake bread · Yonder')
})

it('prints a chat under its title, which may be another than its first message', async () => {
  const chat = chatOf(message('u1', null, { content: 'Bake bread' }), reply('a1', 'u1'))
  await openToolChat({ ...chat, title: 'Sourdough' })
  act(() => void dispatchEvent(new Event('beforeprint')))
  expect(document.querySelector('.chat-print-head')).toHaveTextContent('Sourdough')
})
