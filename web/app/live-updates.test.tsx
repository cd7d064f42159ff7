import { BroadcastChannel } from 'node:worker_threads'
import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BotsSection } from '../features/bots/bots-section.tsx'
import { IntegrationsSection } from '../features/integrations/integrations-section.tsx'
import { renderScreen } from '../testing/render-screen.tsx'
import { json, ScriptedApi } from '../testing/scripted-api.ts'
import { makeBot } from '../testing/wire-objects.ts'
import { ConnectionBanner } from './layout/connection-banner.tsx'
import { useLiveUpdates } from './live-updates.ts'

beforeEach(() => {
  const locks = { request: (_name: string, _options: object, work: () => Promise<void>) => work() }
  Object.defineProperty(navigator, 'locks', { value: locks, configurable: true })
  vi.stubGlobal('BroadcastChannel', BroadcastChannel)
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  Reflect.deleteProperty(navigator, 'locks')
})

function Page() {
  useLiveUpdates('ada')
  return (
    <>
      <BotsSection />
      <IntegrationsSection />
    </>
  )
}

function openPage() {
  const encoder = new TextEncoder()
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined
  let bots = [makeBot()]
  const api = new ScriptedApi()
    .on('GET /api/bots', () => json(bots))
    .on('GET /api/integrations', () => json([]))
    .on('GET /api/integration/types', () => json([]))
    .on('GET /api/live', () => {
      const body = new ReadableStream<Uint8Array>({ start: (controller) => void (stream = controller) })
      return new Response(body)
    })
  renderScreen(api, <Page />)
  const emit = (line: object) =>
    act(async () => stream?.enqueue(encoder.encode(`data: ${JSON.stringify(line)}\n\n`)))
  return {
    api,
    emit,
    ready: () => emit({ type: 'ready', runs: [] }),
    breakStream: () => act(async () => stream?.close()),
    rename: (name: string) => {
      bots = [makeBot({ name })]
    },
    empty: () => {
      bots = []
    },
    count: (list: string) => api.seen(`GET /api/${list}`).length,
  }
}

test('only the list that another tab has changed is read again', async () => {
  const page = openPage()
  await screen.findByText('Owl')
  await page.ready()
  page.rename('Eagle')
  await page.emit({ type: 'changed', what: 'bots' })
  await screen.findByText('Eagle')
  expect([page.count('bots'), page.count('integrations')]).toEqual([2, 1])
})

test('an event of an unknown type, from a newer server, is ignored', async () => {
  const page = openPage()
  await screen.findByText('Owl')
  await page.ready()
  await page.emit({ type: 'changed', what: 'constructor' })
  await page.emit({ type: 'weather', what: 'bots' })
  page.rename('Eagle')
  await page.emit({ type: 'changed', what: 'bots' })
  await screen.findByText('Eagle')
  expect([page.count('bots'), page.count('integrations')]).toEqual([2, 1])
})

test('after the stream was lost every list is read again', async () => {
  const page = openPage()
  await screen.findByText('Owl')
  await page.ready()
  page.rename('Eagle')
  await page.breakStream()
  await vi.waitFor(() => expect(page.count('live')).toBe(2))
  expect([page.count('bots'), page.count('integrations')]).toEqual([1, 1])
  await page.ready()
  await screen.findByText('Eagle')
  expect([page.count('bots'), page.count('integrations')]).toEqual([2, 2])
})

/** Passes the time in which equal reads are one. */
const passDeduping = () => act(() => vi.advanceTimersByTimeAsync(2_500))
const dispatch = (type: string) => act(async () => void window.dispatchEvent(new Event(type)))

test('after a reconnection of the browser every list is read once, by the live stream (§7.28, §9.4)', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const page = openPage()
  await screen.findByText('Owl')
  await page.ready()
  await passDeduping()
  page.rename('Eagle')
  await dispatch('offline')
  await page.breakStream()
  await dispatch('online')
  await vi.waitFor(() => expect(page.count('live')).toBe(2))
  expect([page.count('bots'), page.count('integrations')]).toEqual([1, 1])
  await page.ready()
  await screen.findByText('Eagle')
  expect([page.count('bots'), page.count('integrations')]).toEqual([2, 2])
})

test('in a browser without locks the page has its own stream, and every list is read once after a reconnection (§7.28)', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  Reflect.deleteProperty(navigator, 'locks')
  const page = openPage()
  await screen.findByText('Owl')
  await page.ready()
  await passDeduping()
  page.rename('Eagle')
  await dispatch('offline')
  await page.breakStream()
  await dispatch('online')
  await vi.waitFor(() => expect(page.count('live')).toBe(2))
  await page.ready()
  await screen.findByText('Eagle')
  expect([page.count('bots'), page.count('integrations')]).toEqual([2, 2])
})

test.each(['before', 'after'])(
  'a save that is announced %s its response reads the list once (§9.4)',
  async (order) => {
    const page = openPage()
    let respond: (response: Response) => void = () => undefined
    page.api.on('DELETE /api/bot/Owl', () => new Promise((resolve) => (respond = resolve)))
    await screen.findByText('Owl')
    await page.ready()
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }))
    await userEvent.click(within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Delete' }))
    await vi.waitFor(() => expect(page.api.seen('DELETE /api/bot/Owl')).toHaveLength(1))
    page.empty()
    const announce = () => page.emit({ type: 'changed', what: 'bots' })
    const complete = () => act(async () => respond(new Response(null, { status: 204 })))
    await (order === 'before' ? announce() : complete())
    await (order === 'before' ? complete() : announce())
    await screen.findByText('No bot configurations found')
    await vi.waitFor(() => expect(page.count('bots')).toBeGreaterThan(1))
    await act(async () => undefined)
    expect(page.count('bots')).toBe(2)
  },
)

test('lists are read again after a reconnection while a proxy holds the stream back (§7.28)', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  const page = openPage()
  await screen.findByText('Owl')
  await act(() => vi.advanceTimersByTimeAsync(11_000))
  page.rename('Eagle')
  await act(async () => void dispatchEvent(new Event('online')))
  expect(await screen.findByText('Eagle')).toBeVisible()
})

test('a server that stopped responding is not taken for a proxy that holds its streams', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  function Banner() {
    useLiveUpdates('ada')
    return <ConnectionBanner />
  }
  let responds = true
  const api = new ScriptedApi()
    .on('GET /api/live', () => new Response(new ReadableStream()))
    .on('GET /healthz', () => new Response('', { status: responds ? 200 : 502 }))
  renderScreen(api, <Banner />)
  const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds))
  await pass(5_000)
  expect(api.seen('GET /healthz')).toHaveLength(1)
  responds = false
  await pass(7_000)
  expect(screen.getByText(/The server could not be reached/)).toBeVisible()
  responds = true
  await pass(3_000)
  expect(screen.getByText(/a proxy on the way to the server holds them back/)).toBeVisible()
})
