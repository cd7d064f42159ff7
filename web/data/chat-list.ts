import type {
  ChangedChats,
  ChatMarks,
  ChatsChange,
  ChatSection,
  ListedChat,
  ListedChats,
  ListedSummary,
} from '@yonder/contract/chat-list'
import { matchesSearch } from '@yonder/contract/lib/fold-text'
import type { LiveEvent } from '@yonder/contract/live'
import { createContext, use, useEffect, useState, useSyncExternalStore } from 'react'
import type { ApiClient } from '../lib/api/api-client.ts'
import { logReadFailure } from '../lib/api/api-provider.tsx'
import { logError } from '../lib/log-error.ts'

/** A chat as lists show it. It has the messages of its summary when the server has sent them. */
export type ListRow = ListedChat & Partial<Pick<ListedSummary, 'messages'>>

/** A list of chats: a section, of one project, or with the words of `filter` in their titles. */
export interface Selection {
  readonly section: ChatSection
  readonly project?: string
  readonly filter?: string
}

/** What is known of a list. */
export interface SectionView {
  /** In the order of the server, without gaps from the first one. */
  readonly rows: readonly ListRow[]
  /** Whether there may be more on the server. */
  readonly hasMore: boolean
  readonly isLoading: boolean
  /** Whether the last read has failed. It is repeated every five seconds while the list is used. */
  readonly isFailed: boolean
}

/** What the user has changed, or is about to. A boolean that is false, and an undefined value, are removed. */
export type RowPatch = Partial<
  Pick<ListedChat, 'title' | 'pinned' | 'archived' | 'unread'> & {
    readonly project_id: string | undefined
    readonly deleted_time: string | undefined
  }
>

/** The chat that the page shows. */
interface ShownChat {
  readonly id: string
  /** The time of the last change that the user has seen; undefined if none. */
  seen: string | undefined
}

interface Patch {
  readonly change: RowPatch
  /** A chat that has changed after this time keeps its state. */
  readonly seen: string | undefined
}

/** A change that is shown before the server has made it. */
export interface AppliedPatch {
  /** Called when the server has made the change, with the rows that it returned. */
  readonly keep: (rows?: readonly ListRow[]) => void
  /** Called when the server has refused the change. */
  readonly takeBack: () => void
}

/** How many chats have a mark: altogether, and of each project. */
export interface MarkCounts {
  /** Chats that are unread or wait for approval. */
  readonly total: number
  readonly waiting: number
  readonly ofProject: ReadonlyMap<string, number>
}

/** A place in the order of a list. */
interface ReadPlace {
  /** The time of the oldest row before it. */
  edge: string | undefined
  /** The cursor of the page after it; null after the last page, and undefined before the first one. */
  next: string | null | undefined
}

/** How far a list has been read. */
interface Extent extends ReadPlace {
  readonly selection: Selection
  isLoading: boolean
  isFailed: boolean
  /** The number of components that show the list. */
  users: number
  /** The reading whose result counts. */
  reading: object | undefined
  retry: ReturnType<typeof setTimeout> | undefined
}

/** Chats of a page that the user waits for, and of one of a list that is read again. */
const pageSize = 50
const largePageSize = 200
/** The server names at most so many chats with marks. */
const maxMarkedChats = 500
/** The pause before a failed read is repeated. */
const retryIntervalMs = 5000

const noMarks: MarkCounts = { total: 0, waiting: 0, ofProject: new Map() }

const nothing: SectionView = { rows: [], hasMore: true, isLoading: true, isFailed: false }

/**
 * The chats that the lists of this page show, the same for all of them. A list is derived: it has every known chat that
 * belongs to it and is not older than what was read of it. So a chat that changes moves between the lists by itself, and
 * nothing is read again. One for each signed-in user.
 */
export class ChatListStore {
  readonly #api: ApiClient
  /** The chats as the server has them. */
  readonly #rows = new Map<string, ListRow>()
  /** When a chat was last changed or removed by an event, in the time of `#clock`. What was read before is older. */
  readonly #changedAt = new Map<string, number>()
  #clock = 0
  readonly #gone = new Set<string>()
  #shown: ShownChat | undefined
  #isFollowing = false
  #marksRetry: ReturnType<typeof setTimeout> | undefined
  /** The changes that are shown before the server has made them, by chat, the oldest first. */
  readonly #patches = new Map<string, readonly Patch[]>()
  readonly #extents = new Map<string, Extent>()
  readonly #listeners = new Set<() => void>()
  readonly #views = new Map<string, SectionView>()
  /** The lists whose views are those of the last change. */
  readonly #viewed = new Set<string>()
  /** What all lists are derived from, until a row changes. */
  #index: Index | undefined
  #counts = noMarks

  constructor(api: ApiClient) {
    this.#api = api
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Returns what is known of a list; equal until it changes. */
  readonly view = (selection: Selection): SectionView => {
    const extent = this.#extents.get(keyOf(selection))
    if (extent === undefined) return nothing
    const key = keyOf(selection)
    const before = this.#views.get(key)
    if (before !== undefined && this.#viewed.has(key)) return before
    this.#viewed.add(key)
    const view = {
      rows: this.#listRows(extent),
      hasMore: extent.next !== null,
      isLoading: extent.isLoading,
      isFailed: extent.isFailed,
    }
    if (before !== undefined && isSameView(before, view)) return before
    this.#views.set(key, view)
    return view
  }

  /** Returns all known chats; equal until one changes. */
  readonly rows = (): ReadonlyMap<string, ListRow> => this.#indexed().rows

  /** Whether the server has announced that a chat no longer exists. */
  readonly isGone = (id: string): boolean => this.#gone.has(id)

  /** Returns a chat as lists show it; undefined if none was read or announced with this id. */
  readonly row = (id: string): ListRow | undefined => this.#indexed().rows.get(id)

  /** Returns how many chats have a mark; equal until that changes. */
  readonly counts = (): MarkCounts => this.#indexed().counts

  /** Reads the first page of a list unless it was read, and keeps the list until the returned function is called. */
  readonly open = (selection: Selection): (() => void) => {
    const extent = this.#extents.get(keyOf(selection)) ?? this.#createExtent(selection)
    extent.users += 1
    if ((extent.next === undefined || extent.isFailed) && !extent.isLoading) this.#readNext(extent)
    return () => {
      extent.users -= 1
      if (extent.users > 0) return
      clearTimeout(extent.retry)
      // The lists of the sections stay as they are for the next visit; a filter is soon another one.
      if (selection.filter) this.#drop(extent)
    }
  }

  /** Reads the next page of a list, unless it is being read. Repeats a read that has failed. */
  readonly loadMore = (selection: Selection): void => {
    const extent = this.#extents.get(keyOf(selection))
    if (extent !== undefined && extent.next !== null && !extent.isLoading) this.#readNext(extent)
  }

  /** Follows the live stream until the returned function is called. */
  readonly follow = (): (() => void) => {
    const { live } = this.#api
    this.#isFollowing = true
    void this.#readMarks()
    const unsubscribe = live.subscribe((event) => this.#receive(event, live.state.get() !== 'opening'))
    return () => {
      unsubscribe()
      this.#isFollowing = false
      clearTimeout(this.#marksRetry)
    }
  }

  /**
   * Shows a change of chats before the server has made it; with `seen`, only of those that have not changed since. One
   * of the functions of the result must be called when the server has answered.
   */
  readonly apply = (ids: readonly string[], change: RowPatch, seen?: string): AppliedPatch => {
    const patch: Patch = { change, seen }
    const since = this.#clock
    for (const id of ids) this.#patches.set(id, [...(this.#patches.get(id) ?? []), patch])
    this.#index = undefined
    this.#emit()
    const remove = () => {
      this.#index = undefined
      for (const id of ids) {
        const left = this.#patches.get(id)?.filter((other) => other !== patch) ?? []
        if (left.length === 0) this.#patches.delete(id)
        else this.#patches.set(id, left)
      }
    }
    return {
      keep: (rows = []) => {
        remove()
        const returned = new Map(rows.map((row) => [row.id, row]))
        for (const id of ids) {
          const known = this.#rows.get(id)
          // An event may have come before the answer, of a time before or after the change. Another one will follow.
          const row = this.#hasChanged(id, since) ? undefined : returned.get(id)
          if (row !== undefined) this.#change(row)
          else if (known !== undefined) this.#change(patched(known, patch))
        }
        this.#emit()
      },
      takeBack: () => {
        remove()
        this.#emit()
      },
    }
  }

  /**
   * Says that the page shows a chat, until the returned function is called. While the page is visible, what is new in
   * the chat counts as read. A chat that the user marks as unread meanwhile stays so.
   */
  readonly show = (id: string): (() => void) => {
    const shown: ShownChat = { id, seen: undefined }
    this.#shown = shown
    const update = () => this.#markSeen()
    update()
    document.addEventListener('visibilitychange', update)
    return () => {
      document.removeEventListener('visibilitychange', update)
      if (this.#shown === shown) this.#shown = undefined
    }
  }

  /** Forgets chats that the server has deleted for good. */
  readonly remove = (ids: readonly string[]): void => {
    for (const id of ids) this.#remove(id)
    this.#emit()
  }

  /** Adds what another read has found out about chats, such as the open chat. An event that came first wins. */
  readonly note = (rows: readonly ListRow[]): void => {
    this.#take(
      rows.filter(({ id }) => !this.#changedAt.has(id)),
      this.#clock,
    )
    this.#emit()
  }

  #receive(event: LiveEvent, isLate: boolean): void {
    if (event.type === 'chats_listed') {
      for (const row of event.chats) this.#change(row)
      for (const id of event.gone) this.#remove(id)
      this.#emit()
    }
    // A late `ready` follows a time whose events this page has not got.
    if ((event.type === 'changed' && event.what === 'chats') || (event.type === 'ready' && isLate))
      this.#readAgain()
  }

  /** Reads again all that lists show, without removing it meanwhile. */
  #readAgain(): void {
    void this.#readMarks()
    for (const extent of this.#extents.values())
      if (extent.users === 0) this.#drop(extent)
      else this.#reread(extent)
  }

  #createExtent(selection: Selection): Extent {
    const extent: Extent = {
      selection,
      edge: undefined,
      next: undefined,
      isLoading: false,
      isFailed: false,
      users: 0,
      reading: undefined,
      retry: undefined,
    }
    this.#extents.set(keyOf(selection), extent)
    return extent
  }

  #drop(extent: Extent): void {
    clearTimeout(extent.retry)
    extent.reading = undefined
    this.#extents.delete(keyOf(extent.selection))
    this.#views.delete(keyOf(extent.selection))
  }

  #readNext(extent: Extent): void {
    void this.#read(extent, async (isCurrent) => {
      Object.assign(extent, await this.#readPage(extent, extent, pageSize, isCurrent))
    })
  }

  /** Reads a list again as far as it was read. */
  #reread(extent: Extent): void {
    void this.#read(extent, async (isCurrent) => {
      const { edge = '', next } = extent
      const isBefore = (place: ReadPlace) =>
        place.next !== null && next !== undefined && (next === null || (place.edge ?? '') > edge)
      let place: ReadPlace | undefined = { edge: undefined, next: undefined }
      do {
        place = await this.#readPage(extent, place, largePageSize, isCurrent)
        if (place === undefined) return
      } while (isBefore(place))
      Object.assign(extent, place)
    })
  }

  /** Reads the page after a place, and forgets what is no longer there. Returns the place after it, unless it is dropped. */
  async #readPage(
    { selection }: Extent,
    { edge, next }: ReadPlace,
    limit: number,
    isCurrent: () => boolean,
  ): Promise<ReadPlace | undefined> {
    const since = this.#clock
    const page = await this.#request(selection, next, limit)
    if (page === undefined || !isCurrent()) return undefined
    this.#take(page.chats, since)
    const last = page.chats.at(-1)
    const end = last === undefined ? edge : timeOf(selection, last)
    const found = new Set(page.chats.map(({ id }) => id))
    const matches = matcher(selection)
    const isInPage = (time: string) =>
      (edge === undefined || time < edge) && (page.next === null || (end !== undefined && time > end))
    for (const row of this.#rows.values())
      if (
        isInPage(timeOf(selection, row)) &&
        !found.has(row.id) &&
        bucketsOf(row).includes(bucketOf(selection)) &&
        matches(row) &&
        !this.#hasChanged(row.id, since)
      )
        this.#delete(row.id)
    return { edge: end, next: page.next }
  }

  /** Runs a reading of a list, which replaces the one before; a failed one is repeated after a pause. */
  async #read(extent: Extent, work: (isCurrent: () => boolean) => Promise<void>): Promise<void> {
    clearTimeout(extent.retry)
    const reading = {}
    const isCurrent = () => extent.reading === reading
    Object.assign(extent, { reading, isLoading: true })
    this.#emit()
    let isFailed = false
    try {
      await work(isCurrent)
    } catch (error) {
      if (isCurrent() && extent.users > 0) logReadFailure(error, '/api/chat-list')
      isFailed = true
    }
    if (!isCurrent()) return
    Object.assign(extent, { isLoading: false, isFailed })
    if (isFailed && extent.users > 0)
      extent.retry = setTimeout(() => void this.#read(extent, work), retryIntervalMs)
    this.#emit()
  }

  async #readMarks(): Promise<void> {
    clearTimeout(this.#marksRetry)
    const since = this.#clock
    try {
      const response = await this.#api.read<ChatMarks>('/api/chat-list/marks')
      if (response === undefined) return
      const { marks } = response
      this.#take(marks, since)
      const marked = new Set(marks.map(({ id }) => id))
      // The server names the newest marked chats only.
      if (marks.length < maxMarkedChats)
        for (const row of this.#rows.values())
          if (!marked.has(row.id) && !this.#hasChanged(row.id, since)) this.#store(unmarked(row))
      this.#emit()
    } catch (error) {
      if (!this.#isFollowing) return
      logReadFailure(error, '/api/chat-list/marks')
      this.#marksRetry = setTimeout(() => void this.#readMarks(), retryIntervalMs)
    }
  }

  #request(
    { section, project, filter }: Selection,
    cursor: string | null | undefined,
    limit: number,
  ): Promise<ListedChats | undefined> {
    const query = new URLSearchParams({ section, limit: String(limit) })
    if (project !== undefined) query.set('project', project)
    if (filter) query.set('filter', filter)
    if (cursor) query.set('cursor', cursor)
    return this.#api.read<ListedChats>(`/api/chat-list?${query}`)
  }

  /** Stores rows that were requested at `since`. An event that came later is newer. */
  #take(rows: readonly ListRow[], since: number): void {
    for (const row of rows) if (!this.#hasChanged(row.id, since)) this.#store(row)
  }

  #hasChanged(id: string, since: number): boolean {
    return (this.#changedAt.get(id) ?? -1) >= since
  }

  #change(row: ListRow): void {
    this.#changedAt.set(row.id, this.#clock++)
    this.#store(row)
  }

  #remove(id: string): void {
    this.#changedAt.set(id, this.#clock++)
    this.#gone.add(id)
    this.#delete(id)
  }

  #delete(id: string): void {
    this.#rows.delete(id)
    this.#index = undefined
  }

  #store(row: ListRow): void {
    const { messages, update_time: time } = this.#rows.get(row.id) ?? {}
    const isSame = messages !== undefined && time === row.update_time
    this.#rows.set(row.id, isSame ? { messages, ...row } : row)
    this.#gone.delete(row.id)
    this.#index = undefined
  }

  /** Marks the shown chat as read when it has changed since the user has seen it. */
  #markSeen(): void {
    const shown = this.#shown
    if (shown === undefined) return
    const row = this.#rows.get(shown.id)
    if (row === undefined || row.deleted_time !== undefined || document.visibilityState === 'hidden') return
    const { update_time: time } = row
    if (shown.seen !== undefined && time <= shown.seen) return
    shown.seen = time
    if (!row.unread) return
    void this.#markRead(shown, time)
  }

  async #markRead(shown: ShownChat, seen: string): Promise<void> {
    const chats = [shown.id]
    const applied = this.apply(chats, { unread: false }, seen)
    try {
      const body: ChatsChange = { chats, change: { unread: false }, seen }
      applied.keep((await this.#api.patch<ChangedChats>('/api/chats', body))?.chats)
    } catch (error) {
      applied.takeBack()
      logError('A chat could not be marked as read (/api/chats)', error)
      // The next event tries it again.
      shown.seen = undefined
    }
  }

  #emit(): void {
    this.#markSeen()
    this.#viewed.clear()
    for (const listener of this.#listeners) listener()
  }

  #indexed(): Index {
    if (this.#index !== undefined) return this.#index
    const index = createIndex(this.#rows, this.#patches)
    if (isSameCounts(this.#counts, index.counts)) index.counts = this.#counts
    this.#counts = index.counts
    this.#index = index
    return index
  }

  #listRows(extent: Extent): readonly ListRow[] {
    const { selection } = extent
    const matches = matcher(selection)
    const candidates = this.#indexed().buckets.get(bucketOf(selection)) ?? []
    return candidates
      .filter((row) => isRead(extent, row) && matches(row))
      .toSorted(selection.section === 'deleted' ? compareByDeletion : compareByTime)
  }
}

/** What lists are derived from. */
interface Index {
  /** The chats with the user's changes. */
  readonly rows: ReadonlyMap<string, ListRow>
  /** The chats that may belong to a list, by `bucketOf`. */
  readonly buckets: ReadonlyMap<string, readonly ListRow[]>
  counts: MarkCounts
}

function createIndex(
  rows: ReadonlyMap<string, ListRow>,
  patches: ReadonlyMap<string, readonly Patch[]>,
): Index {
  const shown = new Map(rows)
  for (const [id, changes] of patches) {
    const row = rows.get(id)
    if (row !== undefined) shown.set(id, changes.reduce(patched, row))
  }
  const buckets = new Map<string, ListRow[]>()
  for (const row of shown.values())
    for (const key of bucketsOf(row)) {
      const bucket = buckets.get(key)
      if (bucket === undefined) buckets.set(key, [row])
      else bucket.push(row)
    }
  const waiting = buckets.get('waiting') ?? []
  const marked = new Set([...waiting, ...(buckets.get('unread') ?? [])])
  const ofProject = new Map<string, number>()
  for (const { project_id: project } of marked)
    if (project !== undefined) ofProject.set(project, (ofProject.get(project) ?? 0) + 1)
  return { rows: shown, buckets, counts: { total: marked.size, waiting: waiting.length, ofProject } }
}

const keyOf = ({ section, project = '', filter = '' }: Selection): string => `${section} ${project} ${filter}`

const bucketOf = ({ section, project }: Selection): string =>
  section === 'project' ? `project ${project}` : section

/** The buckets of a chat: of the lists to which it belongs if their filters match. */
function bucketsOf({ deleted_time, archived, pinned, project_id, unread, waiting }: ListRow): string[] {
  if (deleted_time !== undefined) return ['deleted']
  if (archived) return ['archived']
  const keys = ['all']
  if (pinned) keys.push('pinned')
  if (project_id !== undefined) keys.push(`project ${project_id}`)
  else if (!pinned) keys.push('recent')
  if (unread) keys.push('unread')
  if (waiting) keys.push('waiting')
  return keys
}

const matcher = ({ filter }: Selection): ((row: ListRow) => boolean) => {
  if (!filter) return () => true
  const matches = matchesSearch(filter)
  return ({ title }) => matches(title)
}

/** Whether a row is within what was read of its list. A filter shows what is known until the server has answered. */
function isRead({ selection, edge, next }: Extent, row: ListRow): boolean {
  if (next === undefined) return Boolean(selection.filter)
  return next === null || (edge !== undefined && timeOf(selection, row) >= edge)
}

const timeOf = ({ section }: Selection, row: ListRow): string =>
  (section === 'deleted' ? row.deleted_time : row.update_time) ?? ''

/** Orders chats as the server does: the last changed first. */
export function compareByTime(one: Timed, other: Timed): number {
  if (one.update_time !== other.update_time) return one.update_time < other.update_time ? 1 : -1
  return one.id < other.id ? 1 : -1
}

const compareByDeletion = (one: ListRow, other: ListRow): number =>
  (other.deleted_time ?? '').localeCompare(one.deleted_time ?? '') || compareByTime(one, other)

type Timed = Pick<ListedChat, 'id' | 'update_time'>

function patched(row: ListRow, { change, seen }: Patch): ListRow {
  if (seen !== undefined && row.update_time > seen) return row
  const entries = Object.entries({ ...row, ...change })
  return Object.fromEntries(
    entries.filter(([, value]) => value !== false && value !== undefined),
  ) as unknown as ListRow
}

function unmarked(row: ListRow): ListRow {
  if (!row.unread && !row.waiting && !row.running) return row
  const { unread: _unread, waiting: _waiting, running: _running, ...rest } = row
  return rest
}

function isSameView(one: SectionView, other: SectionView): boolean {
  return (
    one.hasMore === other.hasMore &&
    one.isLoading === other.isLoading &&
    one.isFailed === other.isFailed &&
    one.rows.length === other.rows.length &&
    one.rows.every((row, index) => row === other.rows[index])
  )
}

function isSameCounts(one: MarkCounts, other: MarkCounts): boolean {
  return (
    one.total === other.total &&
    one.waiting === other.waiting &&
    one.ofProject.size === other.ofProject.size &&
    [...one.ofProject].every(([project, count]) => other.ofProject.get(project) === count)
  )
}

export const ChatListContext = createContext<ChatListStore | null>(null)

/** The chats of the signed-in user, as lists show them. */
export function useChatList(): ChatListStore {
  const store = use(ChatListContext)
  if (store === null) throw new Error('useChatList must be used within ChatListContext')
  return store
}

/** A list of chats, which is read when the component is mounted. */
export function useSection(selection: Selection): SectionView {
  const store = useChatList()
  const { section, project, filter } = selection
  useEffect(
    () =>
      store.open({
        section,
        ...(project !== undefined && { project }),
        ...(filter !== undefined && { filter }),
      }),
    [store, section, project, filter],
  )
  return useSyncExternalStore(store.subscribe, () => store.view(selection))
}

/** Several lists of chats, which are read when the component is mounted. Equal selections must be the same array. */
export function useSections(selections: readonly Selection[]): readonly SectionView[] {
  const store = useChatList()
  const [keepEqual] = useState(() => {
    let last: readonly SectionView[] = []
    return (views: readonly SectionView[]) => {
      const isEqual = views.length === last.length && views.every((view, index) => view === last[index])
      return isEqual ? last : (last = views)
    }
  })
  useEffect(() => {
    const closes = selections.map(store.open)
    return () => {
      for (const close of closes) close()
    }
  }, [store, selections])
  return useSyncExternalStore(store.subscribe, () => keepEqual(selections.map(store.view)))
}

/** A chat as lists show it; undefined while it is not known. */
export function useListRow(id: string | undefined): ListRow | undefined {
  const store = useChatList()
  return useSyncExternalStore(store.subscribe, () => (id === undefined ? undefined : store.row(id)))
}

/** How many chats have a mark; none where nobody is signed in. */
export function useMarkCounts(): MarkCounts {
  const store = use(ChatListContext)
  return useSyncExternalStore(store?.subscribe ?? subscribeToNothing, store?.counts ?? (() => noMarks))
}

const subscribeToNothing = () => () => undefined
