import { makeBot, makeChat, makeMessage, makeSharedChat, owlAndFox } from '../testing/wire-objects.ts'
import { act, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { expectConsole } from '../testing/expect-console.ts'
import { WebApp } from './web-app.tsx'

const settings = {
  identity: {
    issuer: 'https://id.example',
    clientId: 'yonder',
    audience: '',
    googleParams: {},
    embedded: false,
  },
  sourceUrl: 'https://code.example/yonder',
  demoShareId: null,
}
const storeKey = 'yonder.sign-in:https://id.example:yonder'
const ada = { sub: 'local|1', name: 'Ada', email: 'ada@example.com', picture: null }

type Answer = () => Response | Promise<Response>
let answers: Record<string, Answer>
let requests: { readonly path: string; readonly authorization: string | null }[]

beforeEach(() => {
  requests = []
  answers = {
    '/api/settings': () => Response.json(settings),
    '/api/auth/userinfo': () => Response.json({ ...ada, userPrefix: 'ada-1' }),
    '/api/bots': () => Response.json([]),
    '/api/mcp-servers': () => Response.json([]),
    '/api/shares': () => Response.json({ shares: [] }),
    '/api/integrations': () => Response.json([]),
    '/api/integration/types': () => Response.json([]),
    '/api/chats/known': () => Response.json(makeChat([], { id: 'known' })),
  }
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const path = input.split('?')[0] ?? ''
    requests.push({ path, authorization: new Headers(init?.headers).get('authorization') })
    return (
      (await answers[path]?.()) ??
      Response.json({ error: { code: 'not_found', message: 'Nothing.' } }, { status: 404 })
    )
  })
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('scrollTo', () => undefined)
  if (!('locks' in navigator)) Object.defineProperty(navigator, 'locks', { value: {}, configurable: true })
})

afterEach(() => {
  vi.unstubAllGlobals()
})

function storeSession(user = ada) {
  const session = {
    accessToken: 'token',
    expiresAt: Date.now() + 3_600_000,
    refreshToken: null,
    idToken: 'id',
    user,
  }
  localStorage.setItem(storeKey, JSON.stringify(session))
}

function open(path: string) {
  history.replaceState(null, '', path)
  return render(<WebApp />)
}

const at = () => location.pathname
const landing = () => screen.findByText('Sign in to access your chats', {}, { timeout: 5000 })
const find = (text: string | RegExp) => screen.findByText(text, {}, { timeout: 5000 })

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
    expect(requests.filter((request) => request.path !== '/api/settings')).toEqual([])
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
  expect(requests.filter((request) => request.path !== '/api/settings')).toEqual([])
})

/** A user signs in in another tab of the same browser. */
function signInElsewhere(user: typeof ada) {
  storeSession(user)
  act(() => void dispatchEvent(new StorageEvent('storage', { key: storeKey })))
}

describe('two users in one browser, one after the other', () => {
  const eve = { ...ada, sub: 'local|2', name: 'Eve' }
  const input = () => screen.findByPlaceholderText('Type your message...', {}, { timeout: 5000 })

  beforeEach(() => {
    storeSession()
    answers['/api/bots'] = () => Response.json([makeBot()])
  })

  it('each start with an empty message (§15.12)', async () => {
    open('/')
    await userEvent.type(await input(), 'A secret')
    signInElsewhere(eve)
    expect(await find('Eve')).toBeVisible()
    expect(await input()).toHaveValue('')
    signInElsewhere(ada)
    expect(await find('Ada')).toBeVisible()
    expect(await input()).toHaveValue('')
  })

  it('do not see a message that the other could not send (§15.12)', async () => {
    expectConsole('error', /Error sending message/)
    answers['/api/chat/completions'] = () =>
      Response.json({ error: { code: 'unavailable', message: 'Not now.' } }, { status: 503 })
    open('/chat/known')
    await userEvent.type(await input(), 'A secret')
    await userEvent.click(await screen.findByRole('button', { name: 'Send message' }))
    expect(await find('Not sent. Not now.')).toBeVisible()
    const reads = () => requests.filter(({ path }) => path === '/api/chats/known').length
    const before = reads()
    signInElsewhere(eve)
    await waitFor(() => expect(reads()).toBeGreaterThan(before))
    expect(await input()).toHaveValue('')
    expect(screen.queryByText('A secret')).toBeNull()
  })
})

describe('signed in', () => {
  beforeEach(() => storeSession())

  it('shows the home page at / (§2.1)', async () => {
    open('/')
    expect(await find(/How can I help you today/)).toBeVisible()
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Welcome, Ada.')
    expect(requests.find(({ path }) => path === '/api/bots')?.authorization).toBe('Bearer token')
  })

  it.each(['/chat/known', '/chats/known'])(
    'shows the chat and its saved bot at %s (§2.2, §2.10)',
    async (path) => {
      answers['/api/bots'] = () => Response.json(owlAndFox)
      localStorage.setItem('chat_known_selectedBot', 'Fox')
      open(path)
      await waitFor(() => expect(requests.map((request) => request.path)).toContain('/api/chats/known'), {
        timeout: 5000,
      })
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
      expect(await find('User Information')).toBeVisible()
      expect(at()).toBe('/settings/general')
      expect(history.length).toBe(before)
    },
  )

  it('shows the bots at /settings/bots (§2.5)', async () => {
    open('/settings/bots')
    expect(await screen.findByRole('button', { name: 'Add Bot' }, { timeout: 5000 })).toBeVisible()
    expect(at()).toBe('/settings/bots')
  })

  it('shows the connectors at /settings/connectors (§2.5)', async () => {
    open('/settings/connectors')
    expect(await screen.findByRole('button', { name: 'Add Connector' }, { timeout: 5000 })).toBeVisible()
    expect(at()).toBe('/settings/connectors')
  })

  it('shows the integrations at /settings/integrations (§2.5)', async () => {
    open('/settings/integrations')
    expect(await screen.findByRole('button', { name: 'Add Integration' }, { timeout: 5000 })).toBeVisible()
    expect(at()).toBe('/settings/integrations')
  })

  it('shows the return page of an integration at /callback/{service} (§2.6)', async () => {
    expectConsole('error', /No authorization code found/)
    open('/callback/gmail')
    expect(await find('No authorization code found in the callback URL.')).toBeVisible()
    expect(at()).toBe('/callback/gmail')
  })

  it('redirects any other path to the home page (§2.8)', async () => {
    open('/nowhere/at/all')
    expect(await find(/How can I help you today/)).toBeVisible()
    expect(at()).toBe('/')
  })

  it('redirects an unknown chat to the home page (§2.12, §8.10)', async () => {
    expectConsole('error', /fetching the data\. 404/)
    open('/chat/gone')
    expect(await find(/How can I help you today/)).toBeVisible()
    expect(at()).toBe('/')
  })

  it('signs out after a 401, goes to the root, and keeps the drafts and the theme (§2.11, §8.2, §15.13)', async () => {
    const stored = { chat_storage_owner: ada.sub, chat_known_draft: 'Not sent yet', theme: 'dark' }
    for (const [key, text] of Object.entries(stored)) localStorage.setItem(key, text)
    answers['/api/auth/userinfo'] = () =>
      Response.json({ error: { code: 'unauthenticated', message: 'Expired.' } }, { status: 401 })
    open('/settings/general')
    expect(await landing()).toBeVisible()
    expect(at()).toBe('/')
    expect(localStorage.getItem(storeKey)).toBeNull()
    for (const [key, text] of Object.entries(stored)) expect(localStorage.getItem(key)).toBe(text)
  })

  it('opens the history search by its button and its shortcut, and closes it (§2.16, §2.41)', async () => {
    answers['/api/chats'] = () => Response.json({ chats: [], total: 0, page: 1, limit: 10 })
    open('/settings/general')
    await userEvent.click(await screen.findByRole('button', { name: 'Search chats' }, { timeout: 5000 }))
    expect(await find('No chats yet')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Close' }))
    expect(screen.queryByRole('dialog')).toBeNull()
    await userEvent.keyboard('{Control>}k{/Control}')
    expect(await screen.findByRole('dialog', { name: 'Search chats' })).toBeVisible()
    expect(at()).toBe('/settings/general')
  })
})

it.each([
  ['signed in', () => storeSession()],
  ['signed out', () => undefined],
])(
  'shows a shared chat to a visitor who is %s, at once and without a token (§2.3, §6.2, §7.1, §7.9)',
  async (name, begin) => {
    const shareId = name.replace(' ', '-')
    begin()
    answers['/api/settings'] = () => new Promise(() => undefined)
    answers[`/api/share/${shareId}`] = () =>
      Response.json(makeSharedChat(shareId, [makeMessage('1', null, { content: 'Read me' })]))
    open(`/share/${shareId}`)
    expect(await find('Read me')).toBeVisible()
    expect(at()).toBe(`/share/${shareId}`)
    expect(requests.find(({ path }) => path === `/api/share/${shareId}`)?.authorization).toBeNull()
    expect(screen.queryByRole('textbox')).toBeNull()
  },
)

it.each([
  ['/terms', 'Terms of Service'],
  ['/privacy', 'Privacy Policy'],
])('shows %s to everyone, before the sign-in is known (§2.7, §6.2)', async (path, title) => {
  let answer: (response: Response) => void = () => undefined
  answers['/api/settings'] = () => new Promise((resolve) => (answer = resolve))
  open(path)
  expect(await screen.findByRole('heading', { name: title }, { timeout: 5000 })).toBeVisible()
  await act(async () => answer(Response.json(settings)))
  expect(screen.getByRole('heading', { name: title })).toBeVisible()
})
