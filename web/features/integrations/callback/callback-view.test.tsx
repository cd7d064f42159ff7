import { act, cleanup, configure, screen } from '@testing-library/react'
import { Route, Routes, useLocation, useParams } from 'react-router'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { expectConsole } from '../../../testing/expect-console.ts'
import { renderScreen } from '../../../testing/render-screen.tsx'
import { failure, json, ScriptedApi } from '../../../testing/scripted-api.ts'
import { makeIntegration } from '../../../testing/wire-objects.ts'
import { CallbackView } from './callback-view.tsx'
import { storeAuthorization } from './pending-authorization.ts'

const gmail = makeIntegration({ connected: true })
const route = 'POST /api/integration/callback/google-gmail'
const responsePath = '/callback/gmail?state=s-1&code=c-1&scope=mail'

let api: ScriptedApi

beforeEach(() => {
  // In development, React's strict mode runs every effect twice.
  configure({ reactStrictMode: true })
  vi.useFakeTimers()
  storeAuthorization('s-1')
  api = new ScriptedApi().on(route, () => json(gmail))
})

afterEach(() => {
  configure({ reactStrictMode: false })
  vi.useRealTimers()
})

function Callback() {
  const { service = '' } = useParams()
  return (
    <>
      <p data-testid="search">{useLocation().search}</p>
      <CallbackView service={service} />
    </>
  )
}

function open(path: string) {
  return renderScreen(
    api,
    <Routes>
      <Route path="/callback/:service?" element={<Callback />} />
      <Route path="/settings/integrations" element={<p>The integrations</p>} />
    </Routes>,
    path,
  )
}

async function pass(milliseconds: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(milliseconds))
}

async function expectReturnAfter(milliseconds: number): Promise<void> {
  await pass(milliseconds - 1)
  expect(screen.queryByText('The integrations')).not.toBeInTheDocument()
  await pass(1)
  expect(screen.getByText('The integrations')).toBeInTheDocument()
}

it('submits the code with its state once, and shows the progress (§2.91, §2.92, §4.29, §7.26)', async () => {
  let answer: (response: Response) => void = () => undefined
  api.on(route, () => new Promise((resolve) => (answer = resolve)))
  open(responsePath)
  expect(screen.getByRole('heading', { name: 'Gmail Integration' })).toBeInTheDocument()
  expect(screen.getByText('Processing Gmail authorization...')).toHaveRole('status')
  expect(document.querySelector('.animate-spin')).not.toBeNull()
  await pass(60_000)
  expect(api.requests).toHaveLength(1)
  expect(api.seen(route)[0]?.body).toEqual({ code: 'c-1', state: 's-1' })
  answer(json(gmail))
  await pass(0)
  expect(screen.getByText('Gmail connected successfully!')).toBeInTheDocument()
})

it('removes the code from the address before it submits it', async () => {
  let seen: string | null = null
  api.on(route, () => {
    seen = screen.getByTestId('search').textContent
    return json(gmail)
  })
  open(responsePath)
  await pass(0)
  expect(seen).toBe('')
})

it('opens the integrations 1.5 s after a success (§2.93, §9.2)', async () => {
  open(responsePath)
  await pass(0)
  expect(screen.getByText('Gmail connected successfully!')).toBeInTheDocument()
  expect(document.querySelector('svg.lucide-circle-check.text-success')).not.toBeNull()
  await expectReturnAfter(1500)
})

it('shows a failure with its reason, and opens the integrations after 3 s (§2.94, §8.28, §9.2)', async () => {
  expectConsole('error', /Failed to connect Gmail/)
  api.on(route, () => failure(409, 'conflict', 'The authorization has expired.'))
  open(responsePath)
  await pass(0)
  expect(screen.getByText('Failed to connect Gmail. Please try again.')).toBeInTheDocument()
  expect(screen.getByText('The authorization has expired.')).toBeInTheDocument()
  expect(screen.getByRole('link', { name: 'Go to Integrations' })).toBeInTheDocument()
  expect(document.querySelector('svg.lucide-circle-x.text-danger')).not.toBeNull()
  await expectReturnAfter(3000)
})

it('never writes the code into the log', async () => {
  expectConsole('error', /^(?!.*c-1)Failed to connect Gmail/s)
  api.on(route, () => {
    throw new TypeError('Failed to fetch')
  })
  open(responsePath)
  await pass(0)
  expect(screen.getByText('Failed to connect Gmail. Please try again.')).toBeInTheDocument()
})

it.each([
  ['/callback/google-gmail', 'Gmail', 'google-gmail'],
  ['/callback/google-calendar', 'Google Calendar', 'google-calendar'],
])('supports %s too (§2.91, §7.26)', async (path, title, name) => {
  api.on(`POST /api/integration/callback/${name}`, () => json({ ...gmail, name }))
  open(`${path}?code=c-1&state=s-1`)
  await pass(0)
  expect(screen.getByRole('heading', { name: `${title} Integration` })).toBeInTheDocument()
  expect(screen.getByText(`${title} connected successfully!`)).toBeInTheDocument()
})

it.each(['/callback', '/callback/', '/callback/%20?code=c-1&state=s-1'])(
  'refuses %s, which names no service (§5.17, §9.2)',
  async (path) => {
    expectConsole('error', /Invalid service specified/)
    open(path)
    await pass(0)
    expect(screen.getByRole('alert')).toHaveTextContent('Invalid service specified.')
    expect(screen.getByRole('heading', { name: 'Integration' })).toBeInTheDocument()
    expect(api.requests).toEqual([])
    await expectReturnAfter(3000)
  },
)

it.each(['/callback/gmail', '/callback/gmail?code=', '/callback/gmail?state=s-1'])(
  'refuses %s, which has no code (§5.17)',
  async (path) => {
    expectConsole('error', /No authorization code found/)
    open(path)
    await pass(0)
    expect(screen.getByRole('alert')).toHaveTextContent('No authorization code found in the callback URL.')
    expect(api.requests).toEqual([])
    await expectReturnAfter(3000)
  },
)

it.each([
  ['access_denied', 'You did not allow access, so nothing was connected.'],
  ['server_error', 'The service returned the error "server_error".'],
  ['Call 555 at once', 'The service returned an error. Connect again.'],
])('explains the error %s, and submits nothing (§5.17)', async (error, detail) => {
  expectConsole('error', /No authorization code found/)
  open(`/callback/gmail?state=s-1&code=c-1&error=${encodeURIComponent(error)}`)
  await pass(0)
  expect(screen.getByText('No authorization code found in the callback URL.')).toBeInTheDocument()
  expect(screen.getByText(detail)).toBeInTheDocument()
  expect(api.requests).toEqual([])
})

it.each(['&state=s-2', '&state=', ''])(
  'submits nothing for a state that this tab did not store: "%s" (§8.28)',
  async (state) => {
    expectConsole('error', /Failed to connect Gmail/)
    open(`/callback/gmail?code=c-1${state}`)
    await pass(0)
    expect(screen.getByText('Failed to connect Gmail. Please try again.')).toBeInTheDocument()
    expect(
      screen.getByText('This sign-in was started in another tab. Finish it there, or connect again here.'),
    ).toBeInTheDocument()
    expect(api.requests).toEqual([])
  },
)

it('submits nothing at a second visit of the same address, and opens the integrations (§4.29)', async () => {
  open(responsePath)
  await pass(0)
  cleanup()
  open(responsePath)
  await pass(0)
  expect(screen.getByText('The integrations')).toBeInTheDocument()
  expect(api.requests).toHaveLength(1)
})

it('does not show success after a 401 (§8.2)', async () => {
  api.on(route, () => new Response(null, { status: 401 }))
  open(responsePath)
  await pass(5000)
  expect(api.signedOut).toBe(true)
  expect(screen.getByText('Processing Gmail authorization...')).toBeInTheDocument()
})
