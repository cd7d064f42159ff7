import { Clock, Inbox } from 'lucide-react'
import { useEffect, useMemo, useRef, useState, type Ref } from 'react'
import { NavLink, useMatch, useNavigate } from 'react-router'
import {
  compareByTime,
  useListRow,
  useMarkCounts,
  useSection,
  useSections,
  type ListRow,
  type Selection,
} from '../../data/chat-list.ts'
import { useProjects } from '../../data/projects.ts'
import { useApi } from '../../lib/api/api-provider.tsx'
import { formatClock } from '../../lib/format-time.ts'
import { useStore } from '../../lib/store.ts'
import { classNames } from '../../ui/class-names.ts'
import { SearchInput } from '../../ui/form/text-input.tsx'
import { AddProjectDialog } from '../projects/project-dialogs.tsx'
import { useAllProjects, useOpenProjects } from './list-layout.ts'
import { groupFound, groupSections, type ListedProject } from './list-rows.ts'
import { ListSkeleton } from './list-skeleton.tsx'
import { RowList, type RowListHandle } from './row-list.tsx'
import { opensHere } from './rows.tsx'
import { markLabels, ShowOnlyMenu, type Mark } from './show-only-menu.tsx'
import { useToday } from './time-groups.ts'

const pinned: Selection = { section: 'pinned' }
const recent: Selection = { section: 'recent' }
const everything: Selection = { section: 'all' }

/** How long typing in the filter pauses before the server is asked. */
const filterDelayMs = 150
const maxFilterChars = 200

export interface ChatListPanelProps {
  /** The mark of the chats that are listed alone; undefined for all chats. */
  readonly only: Mark | undefined
  readonly onOnly: (mark: Mark | undefined) => void
  /** Called when a chat is opened in this page. */
  readonly onOpen?: (() => void) | undefined
}

/** The filter, and the chats under it. */
export function ChatListPanel({ only, onOnly, onOpen }: ChatListPanelProps) {
  const [text, setText] = useState('')
  const filter = useDelayed(text.trim())
  const list = useRef<RowListHandle>(null)
  const menu = useRef<HTMLButtonElement>(null)
  return (
    <>
      <div className="flex items-center gap-1 pt-1 pr-2 pb-2 pl-3">
        <div className="min-w-0 flex-1">
          <SearchInput
            aria-label="Filter chats"
            placeholder="Filter chats"
            maxLength={maxFilterChars}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.nativeEvent.isComposing) return
              if (event.key === 'Escape' && text !== '') {
                // It only empties the filter: the drawer stays open and a reply goes on.
                event.preventDefault()
                event.stopPropagation()
                setText('')
              } else if (event.key === 'ArrowDown') {
                event.preventDefault()
                list.current?.focus()
              } else if (event.key === 'Enter' && filter !== '') list.current?.openFirst()
            }}
          />
        </div>
        <ShowOnlyMenu ref={menu} only={only} onOnly={onOnly} onOpen={onOpen} />
      </div>
      <InboxRow onOpen={onOpen} />
      <OfflineNote />
      {only !== undefined && (
        <p className="px-4.5 pb-1.5 text-xs text-muted">
          {markLabels[only]} ·{' '}
          <button
            type="button"
            onClick={() => {
              onOnly(undefined)
              menu.current?.focus()
            }}
            className="touch-target rounded-inner font-medium text-accent hover:underline"
          >
            Show all
          </button>
        </p>
      )}
      {only === undefined && filter === '' ? (
        <Sections list={list} onOpen={onOpen} />
      ) : (
        // With other chats the list starts at its top again.
        <Found key={`${only} ${filter}`} list={list} only={only} filter={filter} onOpen={onOpen} />
      )}
    </>
  )
}

/** Leads to the calls that wait for the user in all chats, and says in how many chats some wait. */
function InboxRow({ onOpen }: Pick<ChatListPanelProps, 'onOpen'>) {
  const { waiting } = useMarkCounts()
  return (
    <NavLink
      to="/inbox"
      onClick={(event) => opensHere(event) && onOpen?.()}
      className={({ isActive }) =>
        classNames(
          'mx-2 mb-2 flex min-h-8 items-center gap-2.5 rounded-control px-2.5 text-sm transition-colors hover:bg-hover pointer-coarse:min-h-11',
          isActive && 'bg-pressed font-medium',
        )
      }
    >
      <Inbox size={16} aria-hidden className="shrink-0 text-muted" />
      <span className="flex-1">Inbox</span>
      {waiting > 0 && (
        <span className="text-xs text-muted tabular-nums">
          {waiting}
          <span className="sr-only"> waiting</span>
        </span>
      )}
    </NavLink>
  )
}

/** Says of what time the list is, while nothing new can come. */
function OfflineNote() {
  const { connection } = useApi()
  const lostAt = useStore(connection, connection.lostAt)
  if (lostAt === undefined) return null
  return (
    <p className="flex gap-2 px-4.5 pb-2 text-xs text-muted tabular-nums">
      <Clock size={14} aria-hidden className="mt-0.5 shrink-0" />
      As of {formatClock(lostAt)}. It updates when the connection is back.
    </p>
  )
}

interface ListProps extends Pick<ChatListPanelProps, 'onOpen'> {
  readonly list: Ref<RowListHandle>
}

function Sections({ list, onOpen }: ListProps) {
  const pinnedView = useSection(pinned)
  const recentView = useSection(recent)
  const { projects, toggle } = useListedProjects()
  const [allProjects, toggleAllProjects] = useAllProjects()
  const shownProject = useMatch('/project/:id')?.params.id
  const [isAdding, setAdding] = useState(false)
  const navigate = useNavigate()
  const today = useToday()
  const groups = useMemo(
    () =>
      groupSections({
        pinned: { selection: pinned, view: pinnedView },
        projects: projects ?? [],
        allProjects,
        shownProject,
        recent: { selection: recent, view: recentView },
        today,
      }),
    [pinnedView, projects, allProjects, shownProject, recentView, today],
  )
  const isEmpty = [...pinnedView.rows, ...recentView.rows, ...(projects ?? [])].length === 0
  if (isEmpty && (projects === undefined || recentView.hasMore) && !recentView.isFailed)
    return <ListSkeleton />
  return (
    <>
      <RowList
        ref={list}
        groups={groups}
        all={everything}
        onToggleProject={toggle}
        onToggleProjects={toggleAllProjects}
        onAddProject={() => setAdding(true)}
        onOpen={onOpen}
      />
      {isAdding && (
        <AddProjectDialog
          onAdded={({ id }) => {
            setAdding(false)
            onOpen?.()
            void navigate(`/project/${encodeURIComponent(id)}`)
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  )
}

/** The projects as the list shows them; undefined while they load. */
function useListedProjects() {
  const { data, error } = useProjects()
  const { ofProject } = useMarkCounts()
  const [opened, setOpened] = useOpenProjects()
  const selections = useMemo(
    () =>
      (data ?? [])
        .filter(({ id }) => opened.includes(id))
        .map(({ id }): Selection => ({ section: 'project', project: id })),
    [data, opened],
  )
  const views = useSections(selections)
  const projects = useMemo(
    () =>
      (data ?? (error && []))?.map(({ id, name }): ListedProject => {
        const at = selections.findIndex(({ project }) => project === id)
        const [selection, view] = [selections[at], views[at]]
        return { id, name, marks: ofProject.get(id) ?? 0, chats: selection && view && { selection, view } }
      }),
    [data, error, ofProject, selections, views],
  )
  const toggle = (id: string) =>
    setOpened(opened.includes(id) ? opened.filter((other) => other !== id) : [...opened, id])
  return { projects, toggle }
}

interface FoundProps extends ListProps, Pick<ChatListPanelProps, 'only'> {
  readonly filter: string
}

/** The chats with a mark, or with the words of the filter, or both. */
function Found({ list, only, filter, onOpen }: FoundProps) {
  const selection = useMemo((): Selection => ({ section: only ?? 'all', filter }), [only, filter])
  const view = useSection(selection)
  const rows = useWithCurrent(view.rows)
  const label = only === undefined ? 'Chats found' : markLabels[only]
  const groups = useMemo(
    () => groupFound(label, { selection, view: { ...view, rows } }),
    [label, selection, view, rows],
  )
  return (
    <>
      {rows.length === 0 && !view.hasMore && (
        <p className="px-4.5 py-2 text-sm text-muted">{describeNone(only, filter)}</p>
      )}
      <RowList ref={list} groups={groups} all={selection} marks={filter} onOpen={onOpen} />
      <output className="sr-only">
        {view.hasMore ? '' : `${rows.length} ${rows.length === 1 ? 'chat' : 'chats'} found`}
      </output>
    </>
  )
}

/**
 * Adds the chat that the page shows when it was among the rows: opening an unread chat makes it read, and no row may go
 * from under the pointer. It goes when another chat is opened.
 */
function useWithCurrent(rows: readonly ListRow[]): readonly ListRow[] {
  const id = useMatch('/:kind/:id')?.params.id
  const current = useListRow(id)
  const [kept, setKept] = useState<string>()
  const isListed = rows.some((row) => row.id === id)
  if (isListed && kept !== id) setKept(id)
  return useMemo(() => {
    const isKept = !isListed && current !== undefined && kept === current.id
    return isKept && !current.archived && current.deleted_time === undefined
      ? [...rows, current].toSorted(compareByTime)
      : rows
  }, [rows, isListed, current, kept])
}

function describeNone(only: Mark | undefined, filter: string): string {
  if (only === undefined) return 'No chat has these words in its title.'
  const words = filter === '' ? '' : ' with these words in its title'
  return only === 'unread' ? `No unread chat${words}.` : `No chat${words} waits for your approval.`
}

/** Returns a text when it has not changed for a moment, but an empty one at once. */
function useDelayed(text: string): string {
  const [delayed, setDelayed] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(text), filterDelayMs)
    return () => clearTimeout(timer)
  }, [text])
  return text === '' ? '' : delayed
}
