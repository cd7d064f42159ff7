import type { ListedChat } from '@yonder/contract/chat-list'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { expectConsole } from '../testing/expect-console.ts'
import { json, ScriptedApi, settle } from '../testing/scripted-api.ts'
import { ChatListStore, type Selection } from './chat-list.ts'

const recent: Selection = { section: 'recent' }
const pinned: Selection = { section: 'pinned' }
const lists: readonly Selection[] = [recent, pinned, { section: 'unread' }]
const time = (minute: number) => new Date(Date.UTC(2026, 10, 28, 0, minute)).toISOString()
const makeRow = (id: string, minute: number, more: Partial<ListedChat> = {}): ListedChat => ({
  id,
  title: `Title of ${id}`,
  update_time: time(minute),
  ...more,
})

/** A server whose lists are those of `rows`. It sends pages of at most `pageSize` chats. */
class ListServer {
  readonly api = new ScriptedApi()
  readonly rows = new Map<string, ListedChat>()
  pageSize = 2

  constructor() {
    this.api
      .on('GET /api/chat-list', ({ query }) => json(this.page(query)))
      .on('GET /api/chat-list/marks', () => json({ marks: this.marks() }))
  }

  set(...rows: readonly ListedChat[]): void {
    for (const row of rows) this.rows.set(row.id, row)
  }

  list(section: string): readonly ListedChat[] {
    const isIn = ({ pinned: isPinned, archived, project_id, deleted_time, unread, waiting }: ListedChat) => {
      if (deleted_time !== undefined || archived) return false
      if (section === 'all') return true
      if (section === 'unread') return unread
      if (section === 'waiting') return waiting
      if (section === 'project') return project_id !== undefined
      return section === 'pinned' ? isPinned : !isPinned && project_id === undefined
    }
    const keyOf = (row: ListedChat) => `${row.update_time} ${row.id}`
    return [...this.rows.values()].filter(isIn).toSorted((one, other) => (keyOf(one) < keyOf(other) ? 1 : -1))
  }

  page(query: URLSearchParams) {
    const cursor = query.get('cursor')
    const after = this.list(query.get('section') ?? '')
      .filter(({ title }) => title.includes(query.get('filter') ?? ''))
      .filter((row) => cursor === null || `${row.update_time} ${row.id}` < cursor)
    const chats = after.slice(0, this.pageSize)
    const last = chats.at(-1)
    return { chats, next: after.length > chats.length ? `${last?.update_time} ${last?.id}` : null }
  }

  marks(): readonly ListedChat[] {
    return this.list('all').filter(({ unread, waiting, running }) => unread || waiting || running)
  }

  /** Changes chats, and announces it. */
  change(...rows: readonly ListedChat[]): void {
    this.set(...rows)
    this.announce(rows)
  }

  announce(rows: readonly ListedChat[], gone: readonly string[] = []): void {
    const chats = rows.map((row) => ({ ...row, messages: [] }))
    this.api.client.live.emit({ type: 'chats_listed', chats, gone: [...gone] })
  }
}

let server: ListServer
let store: ChatListStore
const ids = (selection: Selection) => store.view(selection).rows.map(({ id }) => id)

beforeEach(() => {
  server = new ListServer()
  store = new ChatListStore(server.api.client)
  const unfollow = store.follow()
  return () => {
    unfollow()
  }
})

afterEach(() => {
  vi.restoreAllMocks()
})

async function loadAll(selection: Selection): Promise<void> {
  while (store.view(selection).hasMore) {
    store.loadMore(selection)
    await settle()
  }
}

describe('a section', () => {
  test('is read page by page, and only from the place where it was read to', async () => {
    server.set(
      makeRow('a', 5),
      makeRow('b', 4),
      makeRow('c', 3),
      makeRow('d', 2),
      makeRow('p', 1, { pinned: true }),
    )
    store.open(recent)
    await settle()
    expect(store.view(recent)).toMatchObject({ hasMore: true, isLoading: false, isFailed: false })
    expect(ids(recent)).toEqual(['a', 'b'])
    // An older chat is not shown before the chats between are known.
    server.announce([makeRow('d', 2, { title: 'Another' })])
    expect(ids(recent)).toEqual(['a', 'b'])
    await loadAll(recent)
    expect(ids(recent)).toEqual(['a', 'b', 'c', 'd'])
    expect(server.api.seen('GET /api/chat-list').map(({ query }) => query.get('cursor'))).toEqual([
      null,
      `${time(4)} b`,
    ])
  })

  test('follows what the server announces without reading again: order, pins, archive, deletion, new chats', async () => {
    server.set(makeRow('a', 3), makeRow('b', 2), makeRow('c', 1))
    store.open(recent)
    store.open(pinned)
    await settle()
    await loadAll(recent)
    const requests = server.api.requests.length
    server.change(makeRow('c', 4))
    expect(ids(recent)).toEqual(['c', 'a', 'b'])
    server.change(makeRow('a', 3, { pinned: true }))
    expect([ids(pinned), ids(recent)]).toEqual([['a'], ['c', 'b']])
    server.change(makeRow('new', 5), makeRow('b', 2, { archived: true }))
    expect(ids(recent)).toEqual(['new', 'c'])
    server.announce([], ['c'])
    expect(ids(recent)).toEqual(['new'])
    expect(server.api.requests).toHaveLength(requests)
  })

  test('is not changed back by a page that was read before an event', async () => {
    server.set(makeRow('a', 2), makeRow('b', 1))
    const before = server.page(new URLSearchParams({ section: 'recent' }))
    let respond = (_response: Response): void => undefined
    server.api.on('GET /api/chat-list', () => new Promise((resolve) => (respond = resolve)))
    store.open(recent)
    await settle()
    server.announce([makeRow('a', 2, { title: 'New' })], ['b'])
    respond(json(before))
    await settle()
    expect(store.view(recent).rows).toMatchObject([{ id: 'a', title: 'New' }])
  })

  test('keeps its rows when a read fails, and reads again when asked', async () => {
    server.set(makeRow('a', 3), makeRow('b', 2), makeRow('c', 1))
    store.open(recent)
    await settle()
    server.api.on('GET /api/chat-list', () => new Response(null, { status: 503 }))
    expectConsole('error', /503 \(\/api\/chat-list\)/)
    store.loadMore(recent)
    await settle()
    expect(store.view(recent)).toMatchObject({ hasMore: true, isFailed: true })
    expect(ids(recent)).toEqual(['a', 'b'])
    server.api.on('GET /api/chat-list', ({ query }) => json(server.page(query)))
    store.loadMore(recent)
    await settle()
    expect(store.view(recent)).toMatchObject({ hasMore: false, isFailed: false })
    expect(ids(recent)).toEqual(['a', 'b', 'c'])
  })

  test('is read again as far as it was, after many changes and after a lost stream, without getting empty', async () => {
    server.set(makeRow('a', 5), makeRow('b', 4), makeRow('c', 3), makeRow('d', 2), makeRow('e', 1))
    store.open(recent)
    store.open(pinned)
    await settle()
    store.loadMore(recent)
    await settle()
    expect(ids(recent)).toEqual(['a', 'b', 'c', 'd'])
    server.rows.delete('b')
    server.set(makeRow('c', 3, { pinned: true }), makeRow('f', 6))
    const shown: number[] = []
    const unsubscribe = store.subscribe(() => shown.push(store.view(recent).rows.length))
    server.api.client.live.emit({ type: 'changed', what: 'chats' })
    await settle()
    expect(ids(recent)).toEqual(['f', 'a', 'd', 'e'])
    expect(ids(pinned)).toEqual(['c'])
    expect(Math.min(...shown)).toBeGreaterThan(2)
    unsubscribe()
    server.set(makeRow('a', 5, { archived: true }))
    server.api.client.live.emit({ type: 'ready', runs: [] })
    await settle()
    expect(ids(recent)).toContain('a')
    server.api.client.live.state.set('open')
    server.api.client.live.emit({ type: 'ready', runs: [] })
    await settle()
    expect(ids(recent)).toEqual(['f', 'd', 'e'])
  })
})

describe('a filter', () => {
  test('shows the known titles that match at once, and then all of the server; answers to older ones are dropped', async () => {
    server.set(makeRow('a', 4, { title: 'Red FOX' }), makeRow('b', 3), makeRow('c', 1, { title: 'fox two' }))
    store.open(recent)
    await settle()
    const respond: ((response: Response) => void)[] = []
    server.api.on('GET /api/chat-list', () => new Promise((resolve) => respond.push(resolve)))
    const closeFirst = store.open({ section: 'all', filter: 'fo' })
    closeFirst()
    const fox: Selection = { section: 'all', filter: 'fox' }
    store.open(fox)
    expect(ids(fox)).toEqual(['a'])
    await settle()
    respond[0]?.(json({ chats: [makeRow('wrong', 9)], next: null }))
    await settle()
    expect(store.view(fox).isLoading).toBe(true)
    expect(store.row('wrong')).toBeUndefined()
    respond[1]?.(
      json({
        chats: [makeRow('a', 4, { title: 'Red FOX' }), makeRow('c', 1, { title: 'fox two' })],
        next: null,
      }),
    )
    await settle()
    expect(ids(fox)).toEqual(['a', 'c'])
    server.change(makeRow('b', 5, { title: 'The fox' }), makeRow('a', 4, { title: 'Owl' }))
    expect(ids(fox)).toEqual(['b', 'c'])
  })
})

describe('the marks', () => {
  test('count the chats that want attention, of all and of each project, loaded or not', async () => {
    server.set(
      makeRow('a', 4, { unread: true, waiting: true }),
      makeRow('b', 3, { running: true }),
      makeRow('c', 2, { unread: true, project_id: 'p1' }),
    )
    server.announce([])
    const fresh = new ChatListStore(server.api.client)
    const unfollow = fresh.follow()
    await settle()
    expect(fresh.counts()).toEqual({ total: 2, waiting: 1, ofProject: new Map([['p1', 1]]) })
    const before = fresh.counts()
    server.change(makeRow('d', 5))
    expect(fresh.counts()).toBe(before)
    server.change(makeRow('c', 2, { project_id: 'p1' }))
    expect(fresh.counts()).toMatchObject({ total: 1, ofProject: new Map() })
    // While the stream was lost, the reply that waited was stopped.
    server.set(makeRow('a', 4))
    server.api.client.live.emit({ type: 'changed', what: 'chats' })
    await settle()
    expect(fresh.counts()).toMatchObject({ total: 0, waiting: 0 })
    unfollow()
  })
})

describe('a change of the user', () => {
  test('is shown at once, and stays when the server has made it', async () => {
    server.set(makeRow('a', 3), makeRow('b', 2))
    store.open(recent)
    store.open(pinned)
    await settle()
    const change = store.apply(['b'], { pinned: true, title: 'Mine' })
    expect(ids(pinned)).toEqual(['b'])
    // An event from before the change does not show the old state meanwhile.
    server.announce([makeRow('b', 2, { running: true })])
    expect(store.row('b')).toMatchObject({ pinned: true, title: 'Mine', running: true })
    change.keep()
    expect(store.row('b')).toMatchObject({ pinned: true, title: 'Mine', running: true })
    store.apply(['a'], { archived: true }).keep([makeRow('a', 3, { archived: true, title: 'Named' })])
    expect(store.row('a')).toMatchObject({ archived: true, title: 'Named' })
    expect(ids(recent)).toEqual([])
  })

  test('is taken back when the server refuses it, without a later one', async () => {
    server.set(makeRow('a', 3, { unread: true, project_id: 'p1' }), makeRow('b', 2))
    store.open({ section: 'project', project: 'p1' })
    await settle()
    const first = store.apply(['a', 'unknown'], { unread: false, project_id: undefined })
    store.apply(['a'], { title: 'Mine' })
    expect(store.row('a')).toEqual({ id: 'a', title: 'Mine', update_time: time(3) })
    first.takeBack()
    expect(store.row('a')).toMatchObject({ title: 'Mine', unread: true, project_id: 'p1' })
    expect(store.row('unknown')).toBeUndefined()
  })
})

describe('the chat that the page shows', () => {
  const seenBodies = () => server.api.seen('PATCH /api/chats').map(({ body }) => body)
  const isHidden = (hidden: boolean) => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue(hidden ? 'hidden' : 'visible')
    document.dispatchEvent(new Event('visibilitychange'))
  }

  test('is read when it opens, when a reply ends, and when the page becomes visible again, but not before', async () => {
    server.api.on('PATCH /api/chats', () => json({ ids: [] }))
    server.set(makeRow('a', 1, { unread: true }))
    store.open(recent)
    await settle()
    const leave = store.show('a')
    expect(store.row('a')?.unread).toBeUndefined()
    await settle()
    expect(seenBodies()).toEqual([{ chats: ['a'], change: { unread: false }, seen: time(1) }])
    const marks: (boolean | undefined)[] = []
    const unsubscribe = store.subscribe(() => marks.push(store.row('a')?.unread))
    server.announce([makeRow('a', 2, { unread: true })])
    expect(marks).not.toContain(true)
    unsubscribe()
    isHidden(true)
    server.announce([makeRow('a', 3, { unread: true })])
    expect(store.row('a')?.unread).toBe(true)
    await settle()
    expect(seenBodies()).toHaveLength(2)
    isHidden(false)
    await settle()
    expect(seenBodies()).toMatchObject([{}, { seen: time(2) }, { seen: time(3) }])
    // The user marks it as unread, here or elsewhere.
    server.announce([makeRow('a', 3, { unread: true })])
    expect(store.row('a')?.unread).toBe(true)
    leave()
    server.announce([makeRow('a', 4, { unread: true })])
    await settle()
    expect(seenBodies()).toHaveLength(3)
  })

  test('stays unread when the server cannot be told, until the next event', async () => {
    server.api.on('PATCH /api/chats', () => new Response(null, { status: 503 }))
    expectConsole('error', /could not be marked as read/)
    server.set(makeRow('a', 1, { unread: true }))
    store.open(recent)
    await settle()
    store.show('a')
    await settle()
    expect(store.row('a')?.unread).toBe(true)
    server.api.on('PATCH /api/chats', () => json({ ids: ['a'], chats: [makeRow('a', 1)] }))
    server.announce([makeRow('b', 1)])
    await settle()
    expect(store.row('a')).toEqual(expect.not.objectContaining({ unread: true }))
    expect(seenBodies()).toHaveLength(2)
  })
})

/** What happens, in any order: changes on the server, deliveries of events and responses, and reads. */
const step = fc.oneof(
  fc.record({
    kind: fc.constant('change' as const),
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
    to: fc.constantFrom('newest', 'pinned', 'archived', 'unread', 'plain', 'gone'),
  }),
  fc.constant({ kind: 'event' as const }),
  fc.constant({ kind: 'lose events' as const }),
  fc.constant({ kind: 'load' as const }),
  fc.constant({ kind: 'serve' as const }),
  fc.constant({ kind: 'respond' as const }),
)

test('whatever happens in whatever order, the lists end as those of the server', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const world = new ListServer()
      world.set(...['a', 'b', 'c', 'd'].map((id, index) => makeRow(id, index)))
      const { live } = world.api.client
      live.state.set('open')
      let minute = 100
      let events: (() => void)[] = []
      const waiting: (() => void)[] = []
      const served: (() => void)[] = []
      world.api.on('GET /api/chat-list', async ({ query }) => {
        await new Promise<void>((resolve) => waiting.push(resolve))
        const response = json(world.page(query))
        await new Promise<void>((resolve) => served.push(resolve))
        return response
      })
      const list = new ChatListStore(world.api.client)
      const unfollow = list.follow()
      for (const selection of lists) list.open(selection)
      const change = (id: string, to: string) => {
        const before = world.rows.get(id) ?? makeRow(id, minute++)
        const { pinned: _pinned, archived: _archived, unread: _unread, ...plain } = before
        if (to === 'gone') world.rows.delete(id)
        else if (to === 'newest') world.set({ ...before, update_time: time(minute++) })
        else if (to === 'plain') world.set(plain)
        else world.set({ ...plain, [to]: true })
        events.push(() => {
          // The server reads the chat when it sends the event.
          const row = world.rows.get(id)
          world.announce(row === undefined ? [] : [row], row === undefined ? [id] : [])
        })
      }
      const turn = async () => {
        for (let count = 0; count < 8; count++) await Promise.resolve()
      }
      for (const each of steps) {
        if (each.kind === 'change') change(each.id, each.to)
        if (each.kind === 'event') events.shift()?.()
        if (each.kind === 'lose events') {
          events = [() => live.emit({ type: 'ready', runs: [] })]
        }
        if (each.kind === 'load') list.loadMore(recent)
        if (each.kind === 'serve') waiting.shift()?.()
        if (each.kind === 'respond') served.shift()?.()
        await turn()
      }
      for (const event of events) event()
      const isDone = () => lists.every((selection) => !list.view(selection).hasMore)
      for (let rest = 0; rest < 40 && !(isDone() && waiting.length + served.length === 0); rest++) {
        for (const resolve of [...waiting.splice(0), ...served.splice(0)]) resolve()
        await turn()
        for (const selection of lists) list.loadMore(selection)
      }
      for (const selection of lists)
        expect(list.view(selection)).toMatchObject({
          rows: world.list(selection.section).map(({ id }) => ({ id })),
          hasMore: false,
          isLoading: false,
        })
      unfollow()
    }),
    { numRuns: 100 },
  )
})
