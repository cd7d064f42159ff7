import {
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type Ref,
  type RefObject,
} from 'react'
import { flushSync } from 'react-dom'
import { useMatch } from 'react-router'
import { useChatList, type Selection } from '../../data/chat-list.ts'
import { useMediaQuery } from '../../lib/use-media-query.ts'
import { useFocusAfterMove } from '../../ui/focus.ts'
import { listRows, useRowWindow } from '../../ui/use-row-window.ts'
import { projectsLabel, type Group, type Row } from './list-rows.ts'
import { ProjectRow } from './project-row.tsx'
import { useRowDrag } from './row-drag.ts'
import { useRowEditing } from './row-editing.tsx'
import { AddProjectButton, AllProjectsRow, ChatRow, EmptyRow, GroupHead, MoreRow } from './rows.tsx'

/** The height of a row in pixels: with a mouse, and on touch screens. */
const denseRowPx = 34
const touchRowPx = 44
/** A page is loaded when its place is so many rows below the rendered rows. */
const rowsAhead = 20
/** Letters that are typed within this time belong to one word. */
const typingMs = 700

export interface RowListHandle {
  /** Focuses the tab stop of the list. */
  readonly focus: () => void
  /** Opens the first chat. */
  readonly openFirst: () => void
}

export interface RowListProps {
  readonly ref?: Ref<RowListHandle>
  readonly groups: readonly Group[]
  /** What is listed, also where it is not loaded. */
  readonly all: Selection
  /** Words that are marked in the titles. */
  readonly marks?: string
  /** Shows or hides the chats of a project. */
  readonly onToggleProject?: (id: string) => void
  /** Shows all projects, or fewer. */
  readonly onToggleProjects?: () => void
  /** Creates a project. */
  readonly onAddProject?: () => void
  /** Called when a chat or a project is opened in this page. */
  readonly onOpen?: (() => void) | undefined
}

/**
 * The rows of the list. They are one tab stop; the arrow keys, Home, End and the first letters of a title move between
 * them, and open and close projects. Only the rows in or near the visible part, and the tab stop, are rendered.
 */
export function RowList({
  ref,
  groups,
  all,
  marks = '',
  onToggleProject,
  onToggleProjects,
  onAddProject,
  onOpen,
}: RowListProps) {
  const store = useChatList()
  // The ids of chats and projects differ, and the address of a chat is spelled in two ways.
  const current = useMatch('/:kind/:id')?.params.id
  const rowHeight = useMediaQuery('(pointer: coarse)') ? touchRowPx : denseRowPx
  const { box, first, last, bringIntoView } = useRowWindow<HTMLDivElement>(rowHeight)
  const rows = useMemo(() => groups.flatMap((group) => group.rows), [groups])
  useStablePlace(box, rows, rowHeight)

  const [focused, setFocused] = useState<Place>()
  const tabStop = focused === undefined ? startOf(rows, current) : findPlace(rows, focused)
  const tabStopRow = useRef<HTMLElement>(null)
  // The row that had the focus may be in another group, or gone.
  useFocusAfterMove(box, () => tabStopRow.current?.focus({ preventScroll: true }))
  const showChat = useEffectEvent((id: string | undefined) => {
    const index = findChat(rows, id)
    if (index !== -1) bringIntoView(index)
  })
  useEffect(() => showChat(current), [current])
  useEffect(() => {
    for (const row of rows.slice(first, last + rowsAhead))
      if (row.kind === 'more' && !row.isFailed) store.loadMore(row.selection)
  }, [store, rows, first, last])

  const moveTo = (index: number) => {
    const row = rows[index]
    if (row === undefined) return
    bringIntoView(index)
    flushSync(() => setFocused(placeOf(row, index)))
    tabStopRow.current?.focus({ preventScroll: true })
  }
  const editing = useRowEditing({ rows, all, focused: tabStop, moveTo })
  const drag = useRowDrag({ rows, draggedWith: editing.draggedWith, onMove: editing.move })
  const typing = useRef({ text: '', at: 0 })
  const handleKey = (event: KeyboardEvent) => {
    if (editing.handleKey(event)) {
      event.preventDefault()
      return
    }
    const project = projectToToggle(event, rows[tabStop])
    const target = project === undefined ? findTarget(event, rows, tabStop, typing.current) : tabStop
    if (target === undefined) return
    event.preventDefault()
    if (project === undefined) moveTo(target)
    else onToggleProject?.(project)
  }
  useImperativeHandle(ref, () => ({
    focus: () => moveTo(tabStop),
    openFirst: () => box.current?.querySelector<HTMLElement>('a')?.click(),
  }))

  const rendered = listRows(first, last, tabStop, rows.length)
  const placeAt = (index: number) => ({
    'data-row': index,
    className: 'absolute inset-x-0',
    style: { top: index * rowHeight, height: rowHeight },
  })
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the rows inside receive the keys */}
      <div
        ref={box}
        className="min-h-0 flex-1 [scrollbar-width:thin] overflow-x-hidden overflow-y-auto overscroll-contain px-2 pb-4"
        {...drag.events}
        onKeyDown={handleKey}
        onFocus={({ target }) => {
          const index = Number(target.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? -1)
          const row = rows[index]
          // The button in the head of the projects is no row.
          if (row !== undefined && isFocusable(row) && row.key !== focused?.key)
            setFocused(placeOf(row, index))
        }}
        onBlur={(event) => {
          if (!event.currentTarget.contains(event.relatedTarget)) setFocused(undefined)
        }}
      >
        <div className="relative" style={{ height: rows.length * rowHeight }}>
          {splitByGroup(groups, rendered).map(({ group, start, items }) => (
            <div key={group.label}>
              {group.hasHead && items[0]?.index === start && (
                <div {...placeAt(start)}>
                  <GroupHead
                    label={group.label}
                    action={group.label === projectsLabel && <AddProjectButton onPress={onAddProject} />}
                  />
                </div>
              )}
              <ul aria-label={group.label}>
                {items.map(({ row, index }) => {
                  if (row.kind === 'head') return null
                  const common = {
                    ref: index === tabStop ? tabStopRow : undefined,
                    isTabStop: index === tabStop,
                    onOpen,
                  }
                  return (
                    <li
                      key={row.key}
                      {...placeAt(index)}
                      data-drop={drag.isTarget(row) || undefined}
                      aria-setsize={group.rows.length - (group.hasHead ? 1 : 0)}
                      aria-posinset={index - start + (group.hasHead ? 0 : 1)}
                    >
                      {row.kind === 'chat' ? (
                        <ChatRow
                          {...common}
                          chat={row.chat}
                          marks={marks}
                          isCurrent={row.chat.id === current}
                          isInProject={row.isInProject}
                          mode={editing.modeOf(row.chat)}
                          events={editing.events}
                        />
                      ) : row.kind === 'project' ? (
                        <ProjectRow
                          {...common}
                          project={row.project}
                          isCurrent={row.project.id === current}
                          onToggle={() => onToggleProject?.(row.project.id)}
                        />
                      ) : row.kind === 'projects' ? (
                        <AllProjectsRow
                          {...common}
                          count={row.count}
                          isAll={row.isAll}
                          onPress={onToggleProjects}
                        />
                      ) : row.kind === 'more' ? (
                        <MoreRow isFailed={row.isFailed} onRetry={() => store.loadMore(row.selection)} />
                      ) : (
                        <EmptyRow text={row.text} isInProject={row.isInProject} />
                      )}
                    </li>
                  )
                })}
              </ul>
            </div>
          ))}
        </div>
      </div>
      {editing.layers}
    </>
  )
}

/** Where the focus is: on which row, of which chat, and at which index it was. */
interface Place {
  readonly key: string
  readonly chat: string | undefined
  readonly index: number
}

const placeOf = (row: Row, index: number): Place => ({
  key: row.key,
  chat: row.kind === 'chat' ? row.chat.id : undefined,
  index,
})

const isFocusable = (row: Row | undefined): boolean =>
  row?.kind === 'chat' || row?.kind === 'project' || row?.kind === 'projects'

const nameOf = (row: Row): string =>
  row.kind === 'chat' ? row.chat.title : row.kind === 'project' ? row.project.name : ''

const findChat = (rows: readonly Row[], id: string | undefined): number =>
  id === undefined ? -1 : rows.findIndex((row) => row.kind === 'chat' && row.chat.id === id)

/** Returns the index of the tab stop while the focus is elsewhere: the current chat, or the first one. */
function startOf(rows: readonly Row[], current: string | undefined): number {
  const found = findChat(rows, current)
  return found === -1 ? rows.findIndex(isFocusable) : found
}

/** Returns the index of a row, or -1. A map of all rows would cost more, since they change with each page. */
const findKey = (rows: readonly Row[], key: string | undefined): number =>
  rows.findIndex((row) => row.key === key)

/** Returns the index of the row that has the focus; of another row of its chat, or the next one, if it is gone. */
function findPlace(rows: readonly Row[], place: Place): number {
  const index = findKey(rows, place.key)
  if (index !== -1) return index
  const moved = findChat(rows, place.chat)
  if (moved !== -1) return moved
  const next = step(rows, place.index - 1, 1)
  return next ?? step(rows, place.index, -1) ?? -1
}

/** Returns the index of the next row that can have the focus. */
function step(rows: readonly Row[], from: number, by: 1 | -1): number | undefined {
  for (let index = from + by; index >= 0 && index < rows.length; index += by)
    if (isFocusable(rows[index])) return index
  return undefined
}

/** Returns the id of the project that a key opens or closes. */
function projectToToggle(event: KeyboardEvent, row: Row | undefined): string | undefined {
  if (row?.kind !== 'project' || event.ctrlKey || event.metaKey || event.altKey) return undefined
  const isOpen = row.project.chats !== undefined
  return event.key === (isOpen ? 'ArrowLeft' : 'ArrowRight') ? row.project.id : undefined
}

/** Returns the index of the row to which a key moves the focus. */
function findTarget(
  event: KeyboardEvent,
  rows: readonly Row[],
  from: number,
  typing: { text: string; at: number },
): number | undefined {
  if (event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return undefined
  switch (event.key) {
    case 'ArrowDown':
      return step(rows, from, 1) ?? from
    case 'ArrowUp':
      return step(rows, from, -1) ?? from
    case 'ArrowLeft': {
      const row = rows[from]
      if (row?.kind !== 'chat' || !row.isInProject) return undefined
      return rows.findLastIndex((each, index) => index < from && each.kind === 'project')
    }
    case 'ArrowRight':
      return rows[from]?.kind === 'project' ? step(rows, from, 1) : undefined
    case 'Home':
      return step(rows, -1, 1)
    case 'End':
      return step(rows, rows.length, -1)
  }
  if (event.key.length !== 1 || event.key === ' ') return undefined
  const isNew = event.timeStamp - typing.at > typingMs
  typing.text = (isNew ? '' : typing.text) + event.key.toLowerCase()
  typing.at = event.timeStamp
  const starts = (row: Row | undefined) =>
    row !== undefined && isFocusable(row) && nameOf(row).toLowerCase().startsWith(typing.text)
  // The first letter goes on to the next row, and each further one may stay.
  const start = typing.text.length === 1 ? from + 1 : from
  for (let count = 0; count < rows.length; count++) {
    const index = (start + count) % rows.length
    if (starts(rows[index])) return index
  }
  return undefined
}

/** Splits the rendered rows by their groups. `start` is the index of the first row of a group. */
function splitByGroup(groups: readonly Group[], rendered: readonly number[]) {
  let end = 0
  return groups.flatMap((group) => {
    const start = end
    end += group.rows.length
    const items = rendered.flatMap((index) => {
      const row = index >= start && index < end ? group.rows[index - start] : undefined
      return row === undefined ? [] : [{ row, index }]
    })
    return items.length === 0 ? [] : [{ group, start, items }]
  })
}

/** Keeps the rows in view where they are when rows above them come or go. */
function useStablePlace(box: RefObject<HTMLElement | null>, rows: readonly Row[], rowHeight: number): void {
  const before = useRef(rows)
  useLayoutEffect(() => {
    const element = box.current
    const earlier = before.current
    before.current = rows
    if (element === null || element.scrollTop === 0 || earlier === rows) return
    const top = Math.floor(element.scrollTop / rowHeight)
    // One of the first two rows may have moved itself.
    const shifts = [top, top + 1].flatMap((index) => {
      const now = findKey(rows, earlier[index]?.key)
      return now === -1 ? [] : [now - index]
    })
    const [shift = 0] = shifts.toSorted((one, other) => Math.abs(one) - Math.abs(other))
    if (shift !== 0) element.scrollBy(0, shift * rowHeight)
  }, [box, rows, rowHeight])
}
