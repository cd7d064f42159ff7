import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { makeIdentity } from '../../testing/make-identity.ts'
import { renderScreen } from '../../testing/render-screen.tsx'
import { json, ScriptedApi } from '../../testing/scripted-api.ts'
import type { IdentityState } from '../identity/identity-state.ts'
import { leaveDeleted, readIdToken, signInAgain } from '../identity/own-account.ts'
import { IdentityContext } from '../identity/use-identity.ts'
import { AccountSection } from './account-section.tsx'

vi.mock(import('../identity/own-account.ts'), () => ({
  readIdToken: vi.fn<typeof readIdToken>(),
  signInAgain: vi.fn<typeof signInAgain>(async () => undefined),
  leaveDeleted: vi.fn<typeof leaveDeleted>(async (_identity, clear) => clear()),
}))

const ada = { sub: 'local|1', name: 'Ada', email: 'ada@example.com', picture: null }
const contents = {
  confirmation: 'ada@example.com',
  chats: 1_284,
  files: 212,
  shares: 1,
  bots: 4,
  connectors: 2,
}
const idTokenOf = (ageSeconds: number) =>
  `e30.${btoa(JSON.stringify({ auth_time: Date.now() / 1000 - ageSeconds }))}.e30`

afterEach(() => {
  vi.clearAllMocks()
  cleanup()
  sessionStorage.clear()
  localStorage.clear()
})

function open(idToken: string | null, api = new ScriptedApi()) {
  api.on('GET /api/account', () => json(contents))
  vi.mocked(readIdToken).mockReturnValue(idToken)
  const state: IdentityState = { status: 'authenticated', user: ada, failure: null }
  const identity = makeIdentity({ getState: () => state })
  const screenOf = (
    <IdentityContext value={identity}>
      <AccountSection />
    </IdentityContext>
  )
  return { api, view: renderScreen(api, screenOf) }
}

const press = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }))

it('says what is deleted, and asks for a new sign-in when the last one is old', async () => {
  open(idTokenOf(15 * 60))
  await press('Delete...')
  const lines = await waitFor(() => {
    const items = screen.getAllByRole('listitem').map(({ textContent }) => textContent)
    expect(items[0]).toContain('1,284')
    return items
  })
  expect(lines).toEqual([
    '1,284 chats and 212 files',
    '1 link to shared chats, which stops working',
    '4 bots, 2 connectors and their keys',
    'projects, permissions, usage and sessions',
  ])
  await press('Sign in again to go on')
  expect(signInAgain).toHaveBeenCalledOnce()
  expect(sessionStorage.getItem('account_deletion')).toBe('local|1')
})

it('goes on with a recent sign-in, and clears the browser after the deletion', async () => {
  const api = new ScriptedApi().on('POST /api/account/delete', () => new Response(null, { status: 204 }))
  localStorage.setItem('home_page_draft', 'Secret')
  localStorage.setItem('chat_1_selectedBot', 'Owl')
  localStorage.setItem('theme', 'dark')
  const idToken = idTokenOf(60)
  open(idToken, api)
  await press('Delete...')
  await press('Go on')
  const box = await screen.findByRole('textbox', { name: 'Type ada@example.com to delete the account' })
  await userEvent.type(box, 'ada@example.co{Enter}')
  expect(api.seen('POST /api/account/delete')).toEqual([])
  await userEvent.type(box, 'm{Enter}')
  await waitFor(() => expect(leaveDeleted).toHaveBeenCalledOnce())
  expect(api.seen('POST /api/account/delete').map(({ body }) => body)).toEqual([
    { confirmation: 'ada@example.com', id_token: idToken },
  ])
  expect(Object.keys(localStorage).toSorted()).toEqual(['chat_storage_owner', 'theme'])
})

it('opens the second step after the sign-in, and only for the same user', async () => {
  sessionStorage.setItem('account_deletion', 'local|1')
  open(idTokenOf(1))
  expect(await screen.findByRole('textbox')).toBeVisible()
  cleanup()
  sessionStorage.setItem('account_deletion', 'local|2')
  open(idTokenOf(1))
  expect(screen.queryByRole('alertdialog')).toBeNull()
  cleanup()
  // The user went back instead of signing in.
  sessionStorage.setItem('account_deletion', 'local|1')
  open(null)
  expect(screen.getByRole('alert')).toHaveTextContent('You have not signed in again.')
})

it('leads to the export', async () => {
  const { view } = open(null)
  await press('Delete...')
  await userEvent.click(screen.getByRole('link', { name: 'Export everything first' }))
  expect(screen.queryByRole('alertdialog')).toBeNull()
  expect(view.hash()).toBe('#export')
})
