import type { Message } from '@yonder/contract/message'
import { useEffect, useMemo, useRef, useState, useSyncExternalStore, type KeyboardEvent } from 'react'
import { flushSync } from 'react-dom'
import { classNames } from '../../../ui/class-names.ts'
import { listRows, useRowWindow } from '../../../ui/use-row-window.ts'
import { titleOfMessage } from '../chat-title.ts'
import { distanceToEnd, endZonePx } from '../list/use-follow-end.ts'
import { messageElementId } from '../message/message-context.ts'

export interface ContentsListProps {
  readonly userMessages: readonly Message[]
  /** The height of a row in pixels. */
  readonly rowHeight: number
  readonly onSelect: (messageId: string) => void
}

/**
 * The titles of the user's messages in a chat; the message in view is marked. The list is one tab stop; the arrow keys,
 * Home and End move between its rows. Only the rows in or near its visible part, and the tab stop, are rendered.
 */
export function ContentsList({ userMessages, rowHeight, onSelect }: ContentsListProps) {
  const current = useCurrentMessage(userMessages)
  const [focused, setFocused] = useState<number>()
  const tabStop = Math.min(focused ?? current, userMessages.length - 1)
  const tabStopRow = useRef<HTMLButtonElement>(null)
  const { box, first, last, bringIntoView } = useRowWindow<HTMLElement>(rowHeight)
  useEffect(() => bringIntoView(current), [bringIntoView, current])

  const moveTo = (event: KeyboardEvent, row: number) => {
    event.preventDefault()
    bringIntoView(row)
    flushSync(() => setFocused(row))
    tabStopRow.current?.focus({ preventScroll: true })
  }
  const handleKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') moveTo(event, Math.min(tabStop + 1, userMessages.length - 1))
    else if (event.key === 'ArrowUp') moveTo(event, Math.max(tabStop - 1, 0))
    else if (event.key === 'Home') moveTo(event, 0)
    else if (event.key === 'End') moveTo(event, userMessages.length - 1)
  }
  const rows = listRows(first, last, tabStop, userMessages.length)
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the rows inside receive the keys
    <nav
      ref={box}
      aria-label="Contents"
      className="relative min-h-0 flex-1 overflow-y-auto px-2 pb-4"
      onKeyDown={handleKey}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setFocused(undefined)
      }}
    >
      <ol className="relative" style={{ height: userMessages.length * rowHeight }}>
        {rows.map((row) => {
          const message = userMessages[row]
          if (message === undefined) return null
          const isCurrent = row === current
          const title = titleOfMessage(message.content)
          return (
            <li
              key={message.id}
              aria-setsize={userMessages.length}
              aria-posinset={row + 1}
              className="absolute inset-x-0"
              style={{ top: row * rowHeight, height: rowHeight }}
            >
              <button
                ref={row === tabStop ? tabStopRow : undefined}
                type="button"
                // When the list opens in a panel, the entry of the message in view gets the focus.
                data-initial-focus={isCurrent || undefined}
                // The row may be too narrow for the whole title.
                title={title}
                tabIndex={row === tabStop ? 0 : -1}
                aria-current={isCurrent ? 'location' : undefined}
                onClick={() => onSelect(message.id)}
                className={classNames(
                  'h-full w-full truncate rounded-control px-2.5 text-start text-sm -outline-offset-2 transition-colors hover:bg-hover',
                  isCurrent ? 'bg-accent-soft font-medium text-accent' : 'text-muted hover:text-ink',
                )}
              >
                <bdi>{title}</bdi>
              </button>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

/** The current message is the last one that begins above this fraction of the window's height. */
const readingLine = 0.35

/** Returns the index in `userMessages` of the message in view, updated while the page scrolls. */
function useCurrentMessage(userMessages: readonly { readonly id: string }[]): number {
  const indexes = useMemo(
    () => new Map(userMessages.map(({ id }, index) => [messageElementId(id), index])),
    [userMessages],
  )
  return useSyncExternalStore(watchWindow, () => findCurrentMessage(indexes))
}

function watchWindow(listener: () => void): () => void {
  window.addEventListener('scroll', listener, { passive: true })
  window.addEventListener('resize', listener)
  window.addEventListener('focusin', listener)
  return () => {
    window.removeEventListener('scroll', listener)
    window.removeEventListener('resize', listener)
    window.removeEventListener('focusin', listener)
  }
}

/**
 * `indexes` has the index of each message by the id of its element. Only rendered messages have a position in the window.
 * When all of them begin below the reading line, the message before the first of them is the current one.
 */
function findCurrentMessage(indexes: ReadonlyMap<string, number>): number {
  // The user has just gone to this message, although the next one may be above the line, too, or the end in view.
  const { activeElement } = document
  const focused = activeElement && indexes.get(activeElement.id)
  if (focused !== undefined && focused !== null && isTopInView(activeElement)) return focused
  // At the end of the page the last message may be too short to reach the line.
  if (distanceToEnd() <= endZonePx) return indexes.size - 1
  const line = window.innerHeight * readingLine
  let before: number | undefined
  for (const element of document.querySelectorAll(`article[id^="${messageElementId('')}"]`)) {
    const index = indexes.get(element.id)
    if (index === undefined) continue
    if (element.getBoundingClientRect().top > line) return before ?? Math.max(0, index - 1)
    before = index
  }
  return before ?? 0
}

function isTopInView(element: Element | null): boolean {
  const top = element?.getBoundingClientRect().top ?? -1
  return top >= 0 && top < window.innerHeight
}
