import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { json } from '../../testing/scripted-api.ts'
import { WebAppScene } from '../../testing/web-app-scene.tsx'
import { makeChatSummary, owlAndFox } from '../../testing/wire-objects.ts'

/** The code of the chat screen, which is loaded when the test resolves it. */
const chatCode = vi.hoisted(() => {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => (resolve = settle))
  return { promise, resolve: () => resolve() }
})
vi.mock(import('../screens/chat-screen.tsx'), async (importOriginal) => {
  await chatCode.promise
  return importOriginal()
})

afterEach(() => {
  vi.unstubAllGlobals()
})

it('removes the home page at once when a chat opens, so that no text goes into a new chat', async () => {
  const scene = new WebAppScene()
  scene.signIn()
  scene.api
    .on('GET /api/bots', () => json(owlAndFox))
    .on('GET /api/chats', () =>
      json({ chats: [makeChatSummary({ id: 'known' })], total: 1, page: 1, limit: 10 }),
    )
  scene.open('/')
  const user = userEvent.setup()
  await screen.findByRole('combobox')
  await user.click(screen.getByRole('button', { name: 'Search chats' }))
  await user.click(await screen.findByRole('link', { name: /New Chat/ }))
  await waitFor(() => expect(location.pathname).toBe('/chat/known'))
  expect(screen.queryByRole('textbox', { name: 'Message' })).toBeNull()
  await user.keyboard('For the chat{Enter}')
  expect(scene.api.seen('GET /api/chat/id')).toEqual([])
  chatCode.resolve()
  expect(await screen.findByRole('textbox', { name: 'Message' })).toHaveFocus()
  await screen.findByRole('combobox')
})
