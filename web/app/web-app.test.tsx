import { act, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
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
    '/api/chats/known': () =>
      Response.json({
        id: 'known',
        messages: [],
        update_time: '2026-01-02T03:04:05Z',
        selected_message_id: null,
        run: null,
      }),
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

function keepSession() {
  const session = {
    accessToken: 'token',
    expiresAt: Date.now() + 3_600_000,
    refreshToken: null,
    idToken: 'id',
    user: ada,
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
  it.each(['/', '/chat/known', '/chats/known', '/settings', '/settings/general', '/settings/unknown'])(
    'shows the sign-in screen at %s and stays there (§2.1, §2.2, §2.4, §2.5, §6.2)',
    async (path) => {
      open(path)
      expect(await landing()).toBeVisible()
      expect(at()).toBe(path)
      // Nothing of anyone is asked for without a sign-in.
      expect(requests.filter((request) => request.path !== '/api/settings')).toEqual([])
    },
  )

  it.each(['/nowhere', '/settings/general/deep', '/chat', '/callback/gmail'])(
    'leads %s to the start (§2.8)',
    async (path) => {
      open(path)
      expect(await landing()).toBeVisible()
      expect(at()).toBe('/')
    },
  )
})

describe('signed in', () => {
  beforeEach(keepSession)

  it('shows the home page at / (§2.1)', async () => {
    open('/')
    expect(await find(/How can I help you today/)).toBeVisible()
    expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('Welcome, Ada.')
    expect(requests.find(({ path }) => path === '/api/bots')?.authorization).toBe('Bearer token')
  })

  it.each(['/chat/known', '/chats/known'])('shows the chat at %s (§2.2, §2.10)', async (path) => {
    open(path)
    await waitFor(() => expect(requests.map((request) => request.path)).toContain('/api/chats/known'), {
      timeout: 5000,
    })
    expect(await screen.findByRole('heading', { name: 'Chat' })).toBeInTheDocument()
    expect(at()).toBe(path)
  })

  it.each(['/settings', '/settings/unknown', '/settings/connectors'])(
    'replaces %s by the general settings (§2.4, §2.5)',
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

  it('leads any other path to the home page (§2.8)', async () => {
    open('/nowhere/at/all')
    expect(await find(/How can I help you today/)).toBeVisible()
    expect(at()).toBe('/')
  })

  it('leads an unknown chat to the home page (§2.12, §8.10)', async () => {
    open('/chat/gone')
    expect(await find(/How can I help you today/)).toBeVisible()
    expect(at()).toBe('/')
  })

  it('logs out after a 401, and goes to the root (§2.11, §8.2)', async () => {
    answers['/api/auth/userinfo'] = () =>
      Response.json({ error: { code: 'unauthenticated', message: 'Expired.' } }, { status: 401 })
    open('/settings/general')
    expect(await landing()).toBeVisible()
    expect(at()).toBe('/')
    expect(localStorage.getItem(storeKey)).toBeNull()
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
  ['signed in', keepSession],
  ['signed out', () => undefined],
])(
  'shows a shared chat to a person who is %s, at once and without a token (§2.3, §6.2, §7.1, §7.9)',
  async (name, begin) => {
    const shareId = name.replace(' ', '-')
    begin()
    answers['/api/settings'] = () => new Promise(() => undefined)
    answers[`/api/share/${shareId}`] = () =>
      Response.json({
        id: shareId,
        messages: [
          {
            id: '1',
            parent_id: null,
            role: 'user',
            content: 'Read me',
            timestamp: '2026-01-02T03:04:05.000Z',
            unix_timestamp: 1,
            status: 'complete',
          },
        ],
        update_time: '2026-01-02T03:04:05.000Z',
        selected_message_id: '1',
      })
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
