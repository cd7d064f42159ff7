import type { ChatsChange } from '@yonder/contract/chat-list'
import {
  useEffect,
  useId,
  useRef,
  useState,
  type ComponentType,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react'
import { flushSync } from 'react-dom'
import { Link } from 'react-router'
import { useChatList, useSection, type ListRow } from '../../data/chat-list.ts'
import { Button } from '../../ui/button/button.tsx'
import { IconButton } from '../../ui/button/icon-button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { useFocusAfterMove, useFocusAfterRemoval } from '../../ui/focus.ts'
import { matchesShortcut } from '../../ui/shortcut/shortcut.ts'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { Skeleton } from '../../ui/states/progress.tsx'
import { listRows, useRowWindow } from '../../ui/use-row-window.ts'
import { MoreRow } from './rows.tsx'

/** The height of a row in pixels. */
const rowPx = 64
/** A page is loaded when its place is so many rows below the rendered rows. */
const rowsAhead = 20

/** What can be done with chats that are set aside. */
export interface SetAsideAction {
  readonly label: string
  /** Shown in place of the label at a single chat. */
  readonly icon?: ReactNode
  /** `count` is undefined for all chats of the list when not all are loaded. */
  readonly run: (chats: ChatsChange['chats'], count: number | undefined) => void
}

export interface SetAsideListProps {
  readonly section: 'archived' | 'deleted'
  readonly title: string
  /** What it means that a chat is here. */
  readonly description: string
  /** The second line of a chat. */
  readonly Detail: ComponentType<{ readonly chat: ListRow }>
  /** Whether a chat can be opened. */
  readonly opens: boolean
  /** The first one is the way back. */
  readonly actions: readonly SetAsideAction[]
  /** What is offered for the whole list while no chat is selected. */
  readonly whole?: SetAsideAction | undefined
  /** Shown when there is no chat. */
  readonly empty: ReactNode
}

/** Chats that are selected: some, or all of the list, also those that are not loaded. */
type Selected = ReadonlySet<string> | 'all'

const none: Selected = new Set<string>()

/**
 * A page of chats that are not in the list beside the chat. Its rows are one stop for each of their controls; the arrow
 * keys, Home and End move between the rows.
 */
export function SetAsideList(props: SetAsideListProps) {
  const { section, title, description, empty } = props
  const view = useSection({ section })
  const store = useChatList()
  const heading = useRef<HTMLHeadingElement>(null)
  const { rows, hasMore, isFailed, isLoading } = view
  // All that was loaded is gone, but there may be more.
  const isDrained = rows.length === 0 && hasMore && !isFailed && !isLoading
  useEffect(() => {
    if (isDrained) store.loadMore({ section })
  }, [store, section, isDrained])
  return (
    <div className="mx-auto flex h-below-header min-h-112 w-full max-w-column flex-col gap-4 px-4 pt-6 pb-6 sm:px-6 sm:pt-8">
      <header>
        <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold outline-none">
          {title}
        </h1>
        <p className="mt-1 text-sm text-muted">{description}</p>
      </header>
      {rows.length > 0 ? (
        <SetAsideRows {...props} rows={rows} hasMore={hasMore} isFailed={isFailed} heading={heading} />
      ) : isFailed ? (
        <ErrorState title="Error loading chats" onRetry={() => store.loadMore({ section })}>
          Yonder tries again every five seconds.
        </ErrorState>
      ) : hasMore ? (
        <RowsSkeleton />
      ) : (
        empty
      )}
    </div>
  )
}

interface SetAsideRowsProps extends SetAsideListProps {
  readonly rows: readonly ListRow[]
  readonly hasMore: boolean
  readonly isFailed: boolean
  readonly heading: RefObject<HTMLElement | null>
}

function SetAsideRows({
  section,
  title,
  Detail,
  opens,
  actions,
  whole,
  rows,
  hasMore,
  isFailed,
  heading,
}: SetAsideRowsProps) {
  const store = useChatList()
  const { box, first, last, bringIntoView } = useRowWindow<HTMLDivElement>(rowPx)
  const [chosen, setSelected] = useState(none)
  const [tabStop, setTabStop] = useState(0)
  const anchor = useRef(0)
  const stop = Math.min(tabStop, rows.length - 1)
  useFocusAfterMove(box, (lost) => focusControl(box.current, stop, columnOf(lost)))
  const card = useFocusAfterRemoval<HTMLDivElement>(() => heading.current?.focus())
  useEffect(() => {
    if (hasMore && !isFailed && last + rowsAhead >= rows.length) store.loadMore({ section })
  }, [store, section, hasMore, isFailed, last, rows.length])

  const known = new Set(rows.map(({ id }) => id))
  const selected: Selected = chosen === 'all' ? chosen : new Set([...chosen].filter((id) => known.has(id)))
  const isSelecting = selected === 'all' || selected.size > 0
  const total = hasMore ? undefined : rows.length
  const isSelected = (id: string) => selected === 'all' || selected.has(id)
  const select = (index: number, isRange: boolean) => {
    const next = new Set(selected === 'all' ? known : selected)
    const row = rows[index]
    if (row === undefined) return
    if (isRange) {
      const [from = 0, to = 0] = [anchor.current, index].toSorted((one, other) => one - other)
      for (const { id } of rows.slice(from, to + 1)) next.add(id)
    } else {
      if (!next.delete(row.id)) next.add(row.id)
      anchor.current = index
    }
    setSelected(next)
  }
  const act = ({ run }: SetAsideAction) => {
    if (selected !== 'all' && isSelecting) run([...selected], selected.size)
    else run({ section, filter: '' }, total)
    setSelected(none)
  }
  const handleKey = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Escape' && isSelecting) {
      event.preventDefault()
      setSelected(none)
    } else if (matchesShortcut(event, 'mod+a')) {
      event.preventDefault()
      setSelected('all')
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = { ArrowDown: stop + 1, ArrowUp: stop - 1, Home: 0, End: rows.length - 1 }[event.key]
    if (target === undefined) return
    event.preventDefault()
    const index = Math.max(0, Math.min(target, rows.length - 1))
    if (event.shiftKey) {
      if (!isSelecting) anchor.current = stop
      select(index, true)
    }
    const column = columnOf(document.activeElement)
    bringIntoView(index)
    flushSync(() => setTabStop(index))
    focusControl(box.current, index, column)
  }
  const label = isSelecting
    ? selected === 'all' && total === undefined
      ? 'All selected'
      : `${(selected === 'all' ? rows.length : selected.size).toLocaleString('en')} selected`
    : 'Select all'

  return (
    <>
      <div className="flex min-h-9 flex-wrap items-center gap-x-1 gap-y-2">
        <label className="mr-auto ml-px flex items-center gap-3 py-1 pl-4 text-sm text-muted">
          <input
            ref={(element) => {
              if (element !== null) element.indeterminate = isSelecting && selected !== 'all'
            }}
            type="checkbox"
            aria-label="Select all"
            checked={selected === 'all'}
            onChange={() => setSelected(isSelecting ? none : 'all')}
            className={checkboxLook}
          />
          <output className="tabular-nums">{label}</output>
        </label>
        {(isSelecting ? actions : whole === undefined ? [] : [whole]).map((action) => (
          <Button key={action.label} look="muted" size="small" onClick={() => act(action)}>
            {action.label}
          </Button>
        ))}
      </div>
      <div
        ref={card}
        className="@container -mt-2 flex min-h-0 flex-col overflow-hidden rounded-card border border-line bg-surface"
      >
        {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the controls inside receive the keys */}
        <div
          ref={box}
          className="min-h-0 [scrollbar-width:thin] overflow-x-hidden overflow-y-auto overscroll-contain"
          onKeyDown={handleKey}
          onFocus={({ target }) => {
            const index = target.closest('li')?.dataset['row']
            if (index !== undefined) setTabStop(Number(index))
          }}
        >
          <ul
            aria-label={title}
            className="relative"
            style={{ height: (rows.length + (hasMore ? 1 : 0)) * rowPx }}
          >
            {listRows(first, last, stop, rows.length).map((index) => {
              const chat = rows[index]
              if (chat === undefined) return null
              return (
                <li
                  key={chat.id}
                  data-row={index}
                  aria-setsize={total ?? -1}
                  aria-posinset={index + 1}
                  className={placeLook}
                  style={{ top: index * rowPx, height: rowPx }}
                >
                  <SetAsideRow
                    chat={chat}
                    Detail={Detail}
                    opens={opens}
                    actions={actions}
                    isTabStop={index === stop}
                    isSelected={isSelected(chat.id)}
                    onSelect={(isRange) => select(index, isRange)}
                  />
                </li>
              )
            })}
            {hasMore && (
              <li className={placeLook} style={{ top: rows.length * rowPx, height: rowPx }}>
                <MoreRow isFailed={isFailed} onRetry={() => store.loadMore({ section })} />
              </li>
            )}
          </ul>
        </div>
      </div>
    </>
  )
}

const placeLook = 'absolute inset-x-0 border-t border-line px-4 first:border-t-0'
const checkboxLook = 'size-4 shrink-0 pointer-coarse:size-5'

interface SetAsideRowProps extends Pick<SetAsideListProps, 'Detail' | 'opens' | 'actions'> {
  readonly chat: ListRow
  readonly isTabStop: boolean
  readonly isSelected: boolean
  readonly onSelect: (isRange: boolean) => void
}

function SetAsideRow({ chat, Detail, opens, actions, isTabStop, isSelected, onSelect }: SetAsideRowProps) {
  const name = useId()
  const common = { tabIndex: isTabStop ? 0 : -1 }
  const title = (
    <bdi id={name} title={chat.title} className="block truncate font-medium">
      {chat.title}
    </bdi>
  )
  return (
    <div className="flex h-full items-center gap-3 text-sm">
      <label className="-m-2 p-2">
        <input
          {...common}
          type="checkbox"
          aria-label={`Select ${chat.title}`}
          checked={isSelected}
          onChange={({ nativeEvent }) => onSelect((nativeEvent as MouseEvent).shiftKey)}
          className={classNames(checkboxLook, 'block')}
        />
      </label>
      <div className="min-w-0 flex-1">
        {opens ? (
          <Link {...common} to={`/chat/${encodeURIComponent(chat.id)}`} className="block hover:underline">
            {title}
          </Link>
        ) : (
          title
        )}
        <p className="truncate text-xs text-muted tabular-nums">
          <Detail chat={chat} />
        </p>
      </div>
      <div className="-mr-2 flex items-center">
        {actions.map(({ label, icon, run }) =>
          icon === undefined ? (
            <Button
              key={label}
              {...common}
              look="muted"
              size="small"
              aria-describedby={name}
              onClick={() => run([chat.id], 1)}
            >
              {label}
            </Button>
          ) : (
            <IconButton
              key={label}
              {...common}
              label={label}
              size="small"
              aria-describedby={name}
              onClick={() => run([chat.id], 1)}
            >
              {icon}
            </IconButton>
          ),
        )}
      </div>
    </div>
  )
}

const controlsOf = (row: Element | null | undefined): HTMLElement[] => [
  ...(row?.querySelectorAll<HTMLElement>('input, a, button') ?? []),
]

/** Returns which control of its row an element is. */
const columnOf = (element: Element | null): number =>
  Math.max(0, controlsOf(element?.closest('li')).indexOf(element as HTMLElement))

function focusControl(box: Element | null, row: number, column: number): void {
  const controls = controlsOf(box?.querySelector(`[data-row="${row}"]`))
  controls[Math.min(column, controls.length - 1)]?.focus({ preventScroll: true })
}

/** A placeholder with the shape of the rows. */
function RowsSkeleton() {
  return (
    <output
      aria-label="Loading the chats"
      className="mt-11 divide-y divide-line rounded-card border border-line bg-surface px-4"
    >
      {['w-2/5', 'w-3/5', 'w-1/2'].map((width) => (
        <span key={width} style={{ height: rowPx }} className="flex flex-col justify-center gap-2">
          <Skeleton size={`h-3.5 ${width}`} />
          <Skeleton size="h-3 w-1/4" />
        </span>
      ))}
    </output>
  )
}
