import { act, render, screen } from '@testing-library/react'
import { MemoryRouter } from 'react-router'
import { mutate } from 'swr'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { expectConsole } from '../../testing/expect-console.ts'
import { failure, json, ScriptedApi } from '../../testing/scripted-api.ts'
import { makeMessage, makeSharedChat } from '../../testing/wire-objects.ts'
import { SharedChatView } from './shared-chat-view.tsx'

const chat = makeSharedChat('abc', [makeMessage('1', null, { content: 'Hello' })])
const gone = () => failure(404, 'not_found', 'There is no such shared chat.')

let api: ScriptedApi
let respond: () => Response | Promise<Response>
let serial = 0

beforeEach(() => {
  vi.useFakeTimers()
  api = new ScriptedApi()
  respond = () => json(chat)
  vi.stubGlobal('fetch', api.fetch)
})
afterEach(async () => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  await mutate(() => true, undefined, { revalidate: false })
})

/** Each test uses another link. */
function open() {
  serial += 1
  const shareId = `s${serial}`
  api.on(`GET /api/share/${shareId}`, () => respond())
  render(
    <MemoryRouter>
      <SharedChatView shareId={shareId}>
        {({ messages }) => <p>{messages.length} message shown</p>}
      </SharedChatView>
    </MemoryRouter>,
  )
  return shareId
}

/** Another test may have left a timer, which requests something else with the `fetch` of this one. */
const reads = () => api.requests.filter(({ route }) => route.startsWith('GET /api/share/'))
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
const notice = 'This is a shared chat view. The content is read-only.'

it("shows 'Loading...' until the chat is loaded (§2.39)", async () => {
  let resolve: (response: Response) => void = () => undefined
  respond = () => new Promise((done) => (resolve = done))
  open()
  await pass(0)
  expect(screen.getByText('Loading...')).toBeVisible()
  expect(screen.queryByText(notice)).toBeNull()
  resolve(json(chat))
  await pass(0)
  expect(screen.queryByText('Loading...')).toBeNull()
  expect(screen.getByText('1 message shown')).toBeVisible()
})

it('has a footer with a link to the home page, and no composer or actions (§2.37, §2.38)', async () => {
  open()
  await pass(0)
  expect(screen.getByRole('contentinfo')).toHaveTextContent(notice)
  expect(screen.getByRole('link', { name: 'Go to the home page' })).toHaveAttribute('href', '/')
  expect(screen.queryByRole('textbox')).toBeNull()
  expect(screen.queryByRole('button')).toBeNull()
})

it('is loaded without a token and without cookies (§7.1, §7.9)', async () => {
  const shareId = open()
  await pass(0)
  const [request, ...others] = reads()
  expect(others).toEqual([])
  expect(request?.route).toBe(`GET /api/share/${shareId}`)
  expect(request?.credentials).toBe('omit')
  expect(request?.headers.has('authorization')).toBe(false)
})

it.each([
  ['an unknown or revoked link', gone],
  ['too many requests', () => failure(429, 'rate_limited', 'No.')],
  ['a broken server', () => new Response('oops', { status: 500 })],
  ['a lost network', () => Promise.reject(new TypeError('network'))],
  ['a response that is not JSON', () => new Response('<html>')],
])("shows 'Chat Not Found' after %s, and logs the reason (§2.40, §8.11, §8.34)", async (_name, failing) => {
  expectConsole(
    'error',
    /^(?:An error occurred while fetching the data\. \d{3}|network|.*JSON) \(\/api\/share\/s\d+\)$/,
  )
  respond = failing
  open()
  await pass(0)
  expect(screen.getByText('Chat Not Found')).toBeVisible()
  expect(screen.getByText('This shared chat may have been removed or the link is invalid.')).toBeVisible()
  expect(screen.queryByText(notice)).toBeNull()
})

it('retries after five seconds when the server cannot be reached (§7.1)', async () => {
  expectConsole('error', /network/)
  respond = () => Promise.reject(new TypeError('network'))
  open()
  await pass(4999)
  expect(reads()).toHaveLength(1)
  respond = () => json(chat)
  await pass(1)
  expect(screen.getByText('1 message shown')).toBeVisible()
  expect(reads()).toHaveLength(2)
})

it('does not retry for a link that does not exist', async () => {
  expectConsole('error', /fetching the data\. 404/)
  respond = gone
  open()
  await pass(30_000)
  expect(reads()).toHaveLength(1)
})

it('is not loaded again on focus or when the connection returns (§7.28)', async () => {
  open()
  await pass(5000)
  await act(async () => {
    window.dispatchEvent(new Event('offline'))
    window.dispatchEvent(new Event('online'))
    window.dispatchEvent(new Event('focus'))
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await pass(5000)
  expect(reads()).toHaveLength(1)
})
