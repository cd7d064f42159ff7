import { BroadcastChannel } from 'node:worker_threads'
import { act, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { expectConsole } from '../testing/expect-console.ts'
import { json, failure, type ScriptedApi } from '../testing/scripted-api.ts'
import { ada, findText, sessionKey, settings, WebAppScene } from '../testing/web-app-scene.tsx'
import { makeBot, makeMessage, makeSharedChat, owlAndFox } from '../testing/wire-objects.ts'

let scene: WebAppScene
let api: ScriptedApi

beforeEach(() => {
  scene = new WebAppScene()
  api = scene.api
})

afterEach(() => {
  vi.unstubAllGlobals()
})

const open = (path: string) => scene.open(path)
const at = () => location.pathname
const landing = () => screen.findByText('Sign in to access your chats')

describe('signed out', () => {
  it.each([
    '/',
    '/chat/known',
    '/chats/known',
    '/settings',
    '/settings/general',
    '/settings/unknown',
    '/callback/gmail',
  ])('shows the sign-in screen at %s and stays there (§2.1, §2.2, §2.4, §2.5, §2.6, §6.2)', async (path) => {
    open(path)
    expect(await landing()).toBeVisible()
    expect(at()).toBe(path)
    // No data of a user is requested before sign-in.
    expect(api.requests.filter(({ route }) => route !== 'GET /api/settings')).toEqual([])
  })

  it.each(['/nowhere', '/settings/general/deep', '/chat', '/callback/gmail/deep'])(
    'redirects %s to the home page (§2.8)',
    async (path) => {
      open(path)
      expect(await landing()).toBeVisible()
      expect(at()).toBe('/')
    },
  )
})

it("keeps a service's response in the address until the user signs in, and does not send it (§2.6)", async () => {
  open('/callback/gmail?code=c&state=s')
  expect(await landing()).toBeVisible()
  expect(location.search).toBe('?code=c&state=s')
  expect(api.requests.filter(({ route }) => route !== 'GET /api/settings')).toEqual([])
})

it('keeps its live updates open when another screen is opened', async () => {
  const request = (_name: string, _options: object, work: () => Promise<void>) => work()
  vi.spyOn(navigator, 'locks', 'get').mockReturnValue({ request } as unknown as LockManager)
  vi.stubGlobal('BroadcastChannel', BroadcastChannel)
  api.on('GET /api/live', () => new Response(new ReadableStream()))
  scene.signIn()
  open('/')
  await userEvent.click(await screen.findByRole('button', { name: 'Account' }))
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Settings' }))
  expect(await findText('User Information')).toBeVisible()
  expect(at()).toBe('/settings/general')
  expect(api.seen('GET /api/live')).toHaveLength(1)
})

describe('two users in one browser, one after the other', () => {
  beforeEach(() => void api.on('GET /api/drafts', () => json({ drafts: {} })))

  const eve = { ...ada, sub: 'local|2', name: 'Eve' }
  const input = () => screen.findByPlaceholderText('Type your message...')

  beforeEach(() => {
    scene.signIn()
    api.on('GET /api/bots', () => json([makeBot()]))
  })

  it('each start with an empty message', async () => {
    open('/')
    await userEvent.type(await input(), 'A secret')
    scene.signInElsewhere(eve)
    expect(await findText('Eve')).toBeVisible()
    expect(await input()).toHaveValue('')
    scene.signInElsewhere(ada)
    expect(await findText('Ada')).toBeVisible()
    expect(await input()).toHaveValue('')
  })

  it('are not signed out by a late refusal of a request of the other', async () => {
    let refuse = () => {}
    const refused = new Promise<Response>((resolve) => {
      refuse = () => resolve(failure(401, 'unauthenticated', 'Expired.'))
    })
    api.on('GET /api/bots', () => refused)
    open('/settings/bots')
    await waitFor(() => expect(api.seen('GET /api/bots')).toHaveLength(1))
    api.on('GET /api/bots', () => json([]))
    scene.signInElsewhere(eve)
    expect(await findText('No bot configurations found')).toBeVisible()
    await act(async () => refuse())
    expect(at()).toBe('/settings/bots')
    expect(JSON.parse(localStorage.getItem(sessionKey) ?? 'null')).toMatchObject({ user: { sub: eve.sub } })
  })

  it('do not see a message that the other could not send', async () => {
    expectConsole('error', /Error sending message/)
    api.on('POST /api/chat/completions', () => failure(503, 'unavailable', 'Not now.'))
    open('/chat/known')
    await userEvent.type(await input(), 'A secret')
    await userEvent.click(await screen.findByRole('button', { name: 'Send message' }))
    expect(await findText('Not sent. Not now.')).toBeVisible()
    const reads = () => api.seen('GET /api/chats/known').length
    const before = reads()
    scene.signInElsewhere(eve)
    await waitFor(() => expect(reads()).toBeGreaterThan(before))
    expect(await input()).toHaveValue('')
    expect(screen.queryByText('A secret')).toBeNull()
  })
})

describe('signed in', () => {
  beforeEach(() => scene.signIn())

  it('shows the home page at / (§2.1)', async () => {
    open('/')
    expect(await findText(/How can I help you today/)).toBeVisible()
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Welcome, Ada.')
    expect(api.seen('GET /api/bots')[0]?.headers.get('authorization')).toBe('Bearer token')
  })

  it.each(['/chat/known', '/chats/known'])(
    'shows the chat and its saved bot at %s (§2.2, §2.10)',
    async (path) => {
      api.on('GET /api/bots', () => json(owlAndFox))
      localStorage.setItem('chat_known_selectedBot', 'Fox')
      open(path)
      await waitFor(() => expect(api.seen('GET /api/chats/known')).not.toHaveLength(0))
      expect(await screen.findByRole('heading', { name: 'Chat' })).toBeInTheDocument()
      expect(await screen.findByRole('combobox', { name: 'Bot' })).toHaveValue('Fox')
      expect(at()).toBe(path)
    },
  )

  it.each(['/settings', '/settings/unknown'])(
    'redirects %s to the general settings (§2.4, §2.5)',
    async (path) => {
      const before = history.length
      open(path)
      expect(await findText('User Information')).toBeVisible()
      expect(at()).toBe('/settings/general')
      expect(history.length).toBe(before)
    },
  )

  it('shows the bots at /settings/bots (§2.5)', async () => {
    open('/settings/bots')
    expect(await screen.findByRole('button', { name: 'Add Bot' })).toBeVisible()
    expect(at()).toBe('/settings/bots')
  })

  it('shows the connectors at /settings/connectors (§2.5)', async () => {
    open('/settings/connectors')
    expect(await screen.findByRole('button', { name: 'Add Connector' })).toBeVisible()
    expect(at()).toBe('/settings/connectors')
  })

  it('shows the integrations at /settings/integrations (§2.5)', async () => {
    open('/settings/integrations')
    expect(await screen.findByRole('button', { name: 'Add Integration' })).toBeVisible()
    expect(at()).toBe('/settings/integrations')
  })

  it('shows the return page of an integration at /callback/{service} (§2.6)', async () => {
    expectConsole('error', /No authorization code found/)
    open('/callback/gmail')
    expect(await findText('No authorization code found in the callback URL.')).toBeVisible()
    expect(at()).toBe('/callback/gmail')
  })

  it('redirects any other path to the home page (§2.8)', async () => {
    open('/nowhere/at/all')
    expect(await findText(/How can I help you today/)).toBeVisible()
    expect(at()).toBe('/')
  })

  it('redirects an unknown chat to the home page (§2.12, §8.10)', async () => {
    expectConsole('error', /fetching the data\. 404/)
    open('/chat/gone')
    expect(await findText(/How can I help you today/)).toBeVisible()
    expect(at()).toBe('/')
  })

  it('signs out after a 401, goes to the root, and keeps the drafts and the theme (§2.11, §8.2)', async () => {
    const stored = { chat_storage_owner: ada.sub, chat_known_draft: 'Not sent yet', theme: 'dark' }
    for (const [key, text] of Object.entries(stored)) localStorage.setItem(key, text)
    api.on('GET /api/auth/userinfo', () => failure(401, 'unauthenticated', 'Expired.'))
    open('/settings/general')
    expect(await landing()).toBeVisible()
    expect(at()).toBe('/')
    expect(localStorage.getItem(sessionKey)).toBeNull()
    for (const [key, text] of Object.entries(stored)) expect(localStorage.getItem(key)).toBe(text)
  })

  it('opens the history search by its button and its shortcut, and closes it (§2.16, §2.41)', async () => {
    api.on('GET /api/chats', () => json({ chats: [], total: 0, page: 1, limit: 10 }))
    open('/settings/general')
    await userEvent.click(await screen.findByRole('button', { name: 'Search chats' }))
    expect(await findText('No chats yet')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('dialog')).toBeNull()
    await userEvent.keyboard('{Control>}k{/Control}')
    expect(await screen.findByRole('dialog', { name: 'Search chats' })).toBeVisible()
    expect(at()).toBe('/settings/general')
  })
})

it.each([
  ['signed in', () => scene.signIn()],
  ['signed out', () => undefined],
])(
  'shows a shared chat to a visitor who is %s, at once and without a token (§2.3, §6.2, §7.1, §7.9)',
  async (name, begin) => {
    const shareId = name.replace(' ', '-')
    begin()
    api.on('GET /api/settings', () => new Promise(() => undefined))
    api.on(`GET /api/share/${shareId}`, () =>
      json(makeSharedChat(shareId, [makeMessage('1', null, { content: 'Read me' })])),
    )
    open(`/share/${shareId}`)
    expect(await findText('Read me')).toBeVisible()
    expect(at()).toBe(`/share/${shareId}`)
    expect(api.seen(`GET /api/share/${shareId}`)[0]?.headers.get('authorization')).toBeNull()
    expect(screen.queryByRole('textbox')).toBeNull()
  },
)

it.each([
  ['/terms', 'Terms of Service'],
  ['/privacy', 'Privacy Policy'],
])('shows %s to everyone, before the sign-in is known (§2.7, §6.2)', async (path, title) => {
  let respond: (response: Response) => void = () => undefined
  api.on('GET /api/settings', () => new Promise((resolve) => (respond = resolve)))
  open(path)
  expect(await screen.findByRole('heading', { name: title })).toBeVisible()
  await act(async () => respond(json(settings)))
  expect(screen.getByRole('heading', { name: title })).toBeVisible()
})
