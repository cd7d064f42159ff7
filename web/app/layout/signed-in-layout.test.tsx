import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { makeChat, makeChatSummary, owlAndFox } from '../../testing/wire-objects.ts'
import { WebApp } from '../web-app.tsx'

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

const identity = {
  issuer: 'https://id.example',
  clientId: 'yonder',
  audience: '',
  googleParams: {},
  embedded: false,
}
const responses: Readonly<Record<string, unknown>> = {
  '/api/settings': { identity, sourceUrl: 'https://code.example/yonder', demoShareId: null },
  '/api/bots': owlAndFox,
  '/api/chats': { chats: [makeChatSummary({ id: 'known' })], total: 1, page: 1, limit: 10 },
  '/api/chats/known': makeChat([], { id: 'known' }),
}

/** Opens the home page of a signed-in user. Returns the paths of the requests. */
function openHome(): readonly string[] {
  const requests: string[] = []
  vi.stubGlobal('scrollTo', () => undefined)
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('fetch', async (input: string) => {
    const path = input.split('?')[0] ?? ''
    requests.push(path)
    return responses[path] === undefined
      ? Response.json({ error: { code: 'not_found', message: 'Nothing.' } }, { status: 404 })
      : Response.json(responses[path])
  })
  if (!('locks' in navigator)) Object.defineProperty(navigator, 'locks', { value: {}, configurable: true })
  const session = {
    accessToken: 'token',
    expiresAt: Date.now() + 3_600_000,
    refreshToken: null,
    idToken: 'id',
    user: { sub: 'local|1', name: 'Ada', email: 'ada@example.com', picture: null },
  }
  localStorage.setItem('yonder.sign-in:https://id.example:yonder', JSON.stringify(session))
  history.replaceState(null, '', '/')
  render(<WebApp />)
  return requests
}

it('removes the home page at once when a chat opens, so that no text goes into a new chat (§14.33)', async () => {
  const requests = openHome()
  const user = userEvent.setup()
  await screen.findByRole('combobox', {}, { timeout: 5000 })
  await user.click(screen.getByRole('button', { name: 'Search chats' }))
  await user.click(await screen.findByRole('link', { name: /New Chat/ }))
  await waitFor(() => expect(location.pathname).toBe('/chat/known'))
  expect(screen.queryByRole('textbox', { name: 'Message' })).toBeNull()
  await user.keyboard('For the chat{Enter}')
  expect(requests).not.toContain('/api/chat/id')
  chatCode.resolve()
  expect(await screen.findByRole('textbox', { name: 'Message' })).toHaveFocus()
  await screen.findByRole('combobox')
})
