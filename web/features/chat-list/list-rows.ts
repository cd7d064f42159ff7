import type { Project } from '@yonder/contract/project'
import type { ListRow, SectionView, Selection } from '../../data/chat-list.ts'
import { groupByTime } from './time-groups.ts'

/** A row of the list. All rows have the same height. */
export type Row =
  /** The head of a group of rows. */
  | { readonly kind: 'head'; readonly key: string; readonly label: string }
  | { readonly kind: 'chat'; readonly key: string; readonly chat: ListRow; readonly isInProject: boolean }
  | { readonly kind: 'project'; readonly key: string; readonly project: ListedProject }
  /** Shows all of many projects, or fewer. */
  | { readonly kind: 'projects'; readonly key: string; readonly count: number; readonly isAll: boolean }
  /** Says that there are no chats: in the list, or in an open project. */
  | { readonly kind: 'empty'; readonly key: string; readonly text: string; readonly isInProject: boolean }
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

/** A list of chats that was read. */
export interface Part {
  readonly selection: Selection
  readonly view: SectionView
}

export interface ListedProject extends Pick<Project, 'id' | 'name'> {
  /** How many of its chats are unread or wait for approval. */
  readonly marks: number
  /** Its chats, while it is open. */
  readonly chats: Part | undefined
}

export interface Sections {
  readonly pinned: Part
  readonly projects: readonly ListedProject[]
  /** Whether many projects are all shown. */
  readonly allProjects: boolean
  /** The id of the project that the page shows. */
  readonly shownProject: string | undefined
  readonly recent: Part
  readonly today: Date
}

export const projectsLabel = 'Projects'

/** Returns the groups of the list without a filter. There is always one for projects. */
export function groupSections(sections: Sections): readonly Group[] {
  const { pinned, recent, today } = sections
  return [
    ...withHead('Pinned', [...chatRows('pinned', pinned.view.rows), ...moreRows(pinned)]),
    {
      label: projectsLabel,
      hasHead: true,
      rows: [headOf(projectsLabel), ...listProjects(sections)],
    },
    ...groupByTime(recent.view.rows, today).flatMap(({ label, rows }) =>
      withHead(label, chatRows('recent', rows)),
    ),
    ...withoutHead('More chats', moreRows(recent)),
    // Archived and deleted chats are listed elsewhere, so that there may be some.
    ...([pinned, recent].every(isEmpty) && sections.projects.length === 0
      ? withoutHead('Chats', [emptyRow('chats', 'New chats are listed here.')])
      : []),
  ]
}

const isEmpty = ({ view }: Part): boolean => view.rows.length === 0 && !view.hasMore

/** Returns the group of the chats that the filter has found, or that have a mark. */
export function groupFound(label: string, found: Part): readonly Group[] {
  return withoutHead(label, [...chatRows('all', found.view.rows), ...moreRows(found)])
}

/** Returns the groups of the chats of a project. */
export function groupProject(part: Part, today: Date): readonly Group[] {
  return [
    ...groupByTime(part.view.rows, today).flatMap(({ label, rows }) =>
      withHead(label, chatRows('project', rows)),
    ),
    ...withoutHead('More chats', moreRows(part)),
  ]
}

function withHead(label: string, rows: readonly Row[]): readonly Group[] {
  return rows.length === 0 ? [] : [{ label, hasHead: true, rows: [headOf(label), ...rows] }]
}

function withoutHead(label: string, rows: readonly Row[]): readonly Group[] {
  return rows.length === 0 ? [] : [{ label, hasHead: false, rows }]
}

const headOf = (label: string): Row => ({ kind: 'head', key: `head ${label}`, label })

const chatRows = (key: string, chats: readonly ListRow[], isInProject = false): readonly Row[] =>
  chats.map((chat) => {
    const before = made.get(chat)
    if (before?.key === `${key} ${chat.id}`) return before
    const row: Row = { kind: 'chat', key: `${key} ${chat.id}`, chat, isInProject }
    made.set(chat, row)
    return row
  })

/** The rows that were made, so that a list of thousands does not make all anew when one more page comes. */
const made = new WeakMap<ListRow, Row>()

/** More projects than this would push the chats of today out of view. */
const maxShownProjects = 5

/** Of many projects, those that are open, shown or want attention are listed, and the first ones. */
function listProjects({ projects, allProjects: isAll, shownProject }: Sections): readonly Row[] {
  // A row that shows one more would take its place.
  if (projects.length <= maxShownProjects + 1) return projects.flatMap(projectRows)
  const toggle: Row = { kind: 'projects', key: 'all projects', count: projects.length, isAll }
  if (isAll) return [...projects.flatMap(projectRows), toggle]
  const wanted = projects.filter(
    ({ id, chats, marks }) => chats !== undefined || marks > 0 || id === shownProject,
  )
  const others = projects.filter((project) => !wanted.includes(project))
  const shown = new Set([...wanted, ...others.slice(0, Math.max(0, maxShownProjects - wanted.length))])
  return [...projects.filter((project) => shown.has(project)).flatMap(projectRows), toggle]
}

function projectRows(project: ListedProject): readonly Row[] {
  const { id, chats } = project
  const row: Row = { kind: 'project', key: `project ${id}`, project }
  if (chats === undefined) return [row]
  const rows = [...chatRows(id, chats.view.rows, true), ...moreRows(chats)]
  return [row, ...(rows.length === 0 ? [emptyRow(id, 'No chats yet', true)] : rows)]
}

const emptyRow = (key: string, text: string, isInProject = false): Row => ({
  kind: 'empty',
  key: `empty ${key}`,
  text,
  isInProject,
})

/** The row that loads the next page when it comes near the window. The pinned chats are rarely more than a page. */
function moreRows({ selection, view }: Part): readonly Row[] {
  const { section, project = '' } = selection
  if (!view.hasMore || (section === 'pinned' && view.rows.length === 0 && !view.isFailed)) return []
  return [{ kind: 'more', key: `more ${section} ${project}`, selection, isFailed: view.isFailed }]
}
