import { BroadcastChannel } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Connection, ConnectionState } from '../api/connection.ts'
import { createStore } from '../store.ts'
import type { StreamState } from './live-feed.ts'
import { shareStream } from './share-stream.ts'

/** Locks by name, each held by the first page that requests it. */
function createLocks() {
  const queues = new Map<string, (() => Promise<void>)[]>()
  const held = new Set<string>()
  const next = async (name: string): Promise<void> => {
    const turn = held.has(name) ? undefined : queues.get(name)?.shift()
    if (turn === undefined) return
    held.add(name)
    await turn()
    held.delete(name)
    await next(name)
  }
  return {
    request: (name: string, { signal }: { signal: AbortSignal }, work: () => Promise<void>) =>
      new Promise<void>((resolve, reject) => {
        const turn = () => (signal.aborted ? Promise.resolve() : work().then(resolve, reject))
        queues.set(name, [...(queues.get(name) ?? []), turn])
        void next(name)
      }),
  }
}

/** The server's side of the stream: sends events to all open connections, and counts requests. */
function createServer() {
  const open = new Set<ReadableStreamDefaultController<Uint8Array>>()
  const encoder = new TextEncoder()
  const server = {
    requests: 0,
    status: 200,
    /** Empty behind a proxy that holds it back. */
    firstEvent: 'data: ready\n\n',
    open,
    send(data: string) {
      for (const stream of open) stream.enqueue(encoder.encode(`data: ${data}\n\n`))
    },
    cut() {
      for (const stream of open) stream.error(new Error('cut'))
      open.clear()
    },
    connect(signal: AbortSignal) {
      server.requests += 1
      let own: ReadableStreamDefaultController<Uint8Array> | undefined
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          own = controller
          if (server.status === 200) open.add(controller)
          if (server.status === 200 && server.firstEvent !== '')
            controller.enqueue(encoder.encode(server.firstEvent))
        },
        cancel: () => void (own !== undefined && open.delete(own)),
      })
      signal.addEventListener('abort', () => {
        if (own === undefined || !open.delete(own)) return
        own.error(new Error('left'))
      })
      const response = new Response(body, { status: server.status })
      return Promise.resolve({ response, restartTimeout: () => undefined, stopTimeout: () => undefined })
    },
  }
  return server
}

let server: ReturnType<typeof createServer>
const leavers: (() => void)[] = []

beforeEach(() => {
  server = createServer()
  Object.defineProperty(navigator, 'locks', { value: createLocks(), configurable: true })
  vi.stubGlobal('BroadcastChannel', BroadcastChannel)
})
afterEach(() => {
  for (const leave of leavers.splice(0)) leave()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  Reflect.deleteProperty(navigator, 'locks')
})

function openPage(name = 'stream', connection?: Connection) {
  const received: string[] = []
  const states: StreamState[] = []
  const leave = shareStream({
    name,
    connect: server.connect,
    ...(connection && { connection }),
    onData: (data) => received.push(data),
    onState: (state) => states.push(state),
  })
  leavers.push(leave)
  return { received, states, leave }
}

it('passes every event to ten pages over one connection', async () => {
  const pages = Array.from({ length: 10 }, () => openPage())
  await vi.waitFor(() => expect(pages.map(({ states }) => states)).toEqual(pages.map(() => ['open'])))
  server.send('one')
  server.send('two')
  await vi.waitFor(() =>
    expect(pages.map(({ received }) => received)).toEqual(pages.map(() => ['ready', 'one', 'two'])),
  )
  expect(server.requests).toBe(1)
})

it('reports the open stream to a page that joins later, without past events', async () => {
  const first = openPage()
  await vi.waitFor(() => expect(first.states).toEqual(['open']))
  const later = openPage()
  await vi.waitFor(() => expect(later.states).toEqual(['open']))
  expect(later.received).toEqual([])
  expect(server.requests).toBe(1)
})

it('moves to another page when its page closes, and every page gets the first event of the new stream', async () => {
  const pages = [openPage(), openPage(), openPage()]
  await vi.waitFor(() => expect(pages[2]?.states).toEqual(['open']))
  pages[0]?.leave()
  await vi.waitFor(() => expect(server.requests).toBe(2))
  expect(server.open.size).toBe(1)
  server.send('after')
  await vi.waitFor(() => expect(pages[2]?.received).toEqual(['ready', 'ready', 'after']))
  expect(pages[1]?.received).toEqual(['ready', 'ready', 'after'])
  expect(pages[0]?.received).toEqual(['ready'])
  expect(pages[2]?.states).toEqual(['open'])
})

it('reconnects automatically, and is reported as lost only after a delay', async () => {
  const [leader, other] = [openPage(), openPage()]
  await vi.waitFor(() => expect(other.states).toEqual(['open']))
  server.status = 503
  server.cut()
  await vi.waitFor(() => expect(other.states).toEqual(['open', 'lost']))
  server.status = 200
  await vi.waitFor(() => expect(other.states).toEqual(['open', 'lost', 'open']))
  expect(leader.states).toEqual(other.states)
  expect(other.received).toEqual(['ready', 'ready'])
})

it('is closed at once when the browser goes offline', async () => {
  const page = openPage()
  await vi.waitFor(() => expect(page.states).toEqual(['open']))
  server.status = 503
  window.dispatchEvent(new Event('offline'))
  await vi.waitFor(() => expect(page.states).toEqual(['open', 'lost']))
  server.status = 200
  window.dispatchEvent(new Event('online'))
  await vi.waitFor(() => expect(page.received).toEqual(['ready', 'ready']))
  expect(page.states).toEqual(['open', 'lost', 'open'])
})

describe('held back by a proxy', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

  it('is reported as held when the request has no event for ten seconds, until one arrives', async () => {
    server.firstEvent = ''
    const [leader, other] = [openPage(), openPage()]
    await pass(9_000)
    expect(leader.states).toEqual(['lost'])
    await pass(2_000)
    expect(leader.states).toEqual(['lost', 'held'])
    server.send('ready')
    await vi.waitFor(() => expect(other.states).toEqual(['lost', 'held', 'open']))
    expect(leader.states).toEqual(other.states)
    await pass(60_000)
    expect(leader.states.at(-1)).toBe('open')
  })

  it('stays held over the next attempts, and is lost when the server refuses one', async () => {
    server.firstEvent = ''
    const page = openPage()
    await pass(11_000)
    server.cut()
    await pass(5_000)
    expect(page.states).toEqual(['lost', 'held'])
    server.status = 503
    server.cut()
    await pass(5_000)
    expect(page.states).toEqual(['lost', 'held', 'lost'])
  })

  it('requests the stream again after an outage, because the request may hang since then', async () => {
    server.firstEvent = ''
    const connection = createStore<ConnectionState>('online')
    const page = openPage('stream', {
      ...connection,
      check: () => undefined,
      countOutages: () => 0,
      lostAt: () => undefined,
    })
    await pass(1_500)
    connection.set('unreachable')
    await pass(7_000)
    server.firstEvent = 'data: ready\n\n'
    connection.set('online')
    await pass(2_000)
    expect(page.states).toEqual(['lost', 'open'])
    connection.set('unreachable')
    connection.set('online')
    await pass(2_000)
    expect(server.requests).toBe(2)
  })
})

it('is one for each page in a browser without locks', async () => {
  Reflect.deleteProperty(navigator, 'locks')
  const pages = [openPage(), openPage()]
  server.send('one')
  await vi.waitFor(() => expect(pages.map(({ states }) => states)).toEqual([['open'], ['open']]))
  expect(pages.map(({ received }) => received)).toEqual([
    ['ready', 'one'],
    ['ready', 'one'],
  ])
  expect(server.requests).toBe(2)
  pages[0]?.leave()
  expect(server.open.size).toBe(1)
})

it('is lost while the server refuses it', async () => {
  server.status = 404
  const page = openPage()
  await vi.waitFor(() => expect(page.states).toEqual(['lost']))
  server.status = 200
  await vi.waitFor(() => expect(page.states).toEqual(['lost', 'open']))
})

it('is separate for each name', async () => {
  const pages = [openPage('ada'), openPage('eve')]
  await vi.waitFor(() => expect(pages.map(({ states }) => states)).toEqual([['open'], ['open']]))
  server.send('one')
  server.send('two')
  const once = ['ready', 'one', 'two']
  await vi.waitFor(() => expect(pages.map(({ received }) => received)).toEqual([once, once]))
  expect(server.requests).toBe(2)
})

it('is retried at once, and then after pauses that grow', async () => {
  vi.useFakeTimers()
  const pass = async (milliseconds: number) => {
    await vi.advanceTimersByTimeAsync(milliseconds)
    return server.requests
  }
  openPage()
  expect(await pass(0)).toBe(1)
  server.status = 503
  server.cut()
  expect(await pass(0)).toBe(2)
  for (const [index, pause] of [500, 1000, 2000].entries()) {
    expect(await pass(pause - 1)).toBe(2 + index)
    expect(await pass(1)).toBe(3 + index)
  }
})

it('is retried at once after a stream that worked has broken, also when earlier attempts had failed', async () => {
  vi.useFakeTimers()
  openPage()
  await vi.advanceTimersByTimeAsync(0)
  server.status = 503
  server.cut()
  await vi.advanceTimersByTimeAsync(600)
  server.status = 200
  await vi.advanceTimersByTimeAsync(1000)
  expect(server.open.size).toBe(1)
  await vi.advanceTimersByTimeAsync(6000)
  server.send('later')
  await vi.advanceTimersByTimeAsync(0)
  const { requests } = server
  server.cut()
  await vi.advanceTimersByTimeAsync(0)
  expect(server.requests).toBe(requests + 1)
})
