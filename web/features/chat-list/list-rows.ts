import type { ListRow, SectionView, Selection } from '../../data/chat-list.ts'
import { groupByTime } from './time-groups.ts'

/** A row of the list. All rows have the same height. */
export type Row =
  /** The head of a group of rows. */
  | { readonly kind: 'head'; readonly key: string; readonly label: string }
  | { readonly kind: 'chat'; readonly key: string; readonly chat: ListRow }
  /** The place of chats that are being loaded, or that could not be loaded. */
  | { readonly kind: 'more'; readonly key: string; readonly selection: Selection; readonly isFailed: boolean }

/** Rows under one head. */
export interface Group {
  /** The accessible name of the group. */
  readonly label: string
  /** Whether the label is the first row. */
  readonly hasHead: boolean
  readonly rows: readonly Row[]
}

/** A list of chats that was read, and its key in the keys of the rows. */
export interface Part {
  readonly selection: Selection
  readonly view: SectionView
}

/** Returns the groups of the list without a filter. */
export function groupSections(pinned: Part, recent: Part, today: Date): readonly Group[] {
  const groups = [
    group('Pinned', pinned.view.rows, 'pinned', more(pinned)),
    ...groupByTime(recent.view.rows, today).map(({ label, rows }) => group(label, rows, 'recent')),
    { label: 'More chats', hasHead: false, rows: more(recent) },
  ]
  return groups.filter(({ rows }) => rows.length > 0)
}

/** Returns the group of the chats that the filter has found. */
export function groupFound(found: Part): readonly Group[] {
  const rows = [...chatRows(found.view.rows, 'all'), ...more(found)]
  return rows.length === 0 ? [] : [{ label: 'Chats found', hasHead: false, rows }]
}

function group(label: string, chats: readonly ListRow[], key: string, rest: readonly Row[] = []): Group {
  const rows = [...chatRows(chats, key), ...rest]
  if (rows.length === 0) return { label, hasHead: true, rows }
  return { label, hasHead: true, rows: [{ kind: 'head', key: `head ${label}`, label }, ...rows] }
}

const chatRows = (chats: readonly ListRow[], key: string): readonly Row[] =>
  chats.map((chat) => ({ kind: 'chat', key: `${key} ${chat.id}`, chat }))

/** The row that loads the next page when it comes near the window. A list that is empty so far has none. */
function more({ selection, view }: Part): readonly Row[] {
  if (!view.hasMore || (view.rows.length === 0 && !view.isFailed && selection.section !== 'recent')) return []
  const { section, project = '' } = selection
  return [{ kind: 'more', key: `more ${section} ${project}`, selection, isFailed: view.isFailed }]
}
