import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { KeepMountedContext } from '../../../lib/keep-mounted.ts'
import { MessageView } from '../message/message-view.tsx'
import type { ChatSession } from '../session/chat-session.ts'
import type { MessageGroup } from './message-tree.ts'

export interface MessageChunkProps {
  readonly groups: readonly MessageGroup[]
  readonly writing: ReadonlySet<string> | undefined
  readonly session: ChatSession | undefined
  /** Drawn before the position of the window is known. */
  readonly first: boolean
  /** Drawn wherever the window is. */
  readonly always: boolean
}

/** Some messages in a row. Far from the window an empty box of their height takes their place. */
export const MessageChunk = memo(function MessageChunk(props: MessageChunkProps) {
  const { groups, writing, session, first, always } = props
  const box = useRef<HTMLDivElement>(null)
  const keeps = useRef(0)
  const keepMounted = useCallback(() => {
    keeps.current += 1
    return () => {
      keeps.current -= 1
    }
  }, [])
  const [near, setNear] = useState(first)
  const [height, setHeight] = useState<number>()
  useEffect(() => {
    const element = box.current
    if (element === null) return
    return watchNear(element, (isNear) => {
      if (!isNear && (keeps.current > 0 || isInUse(element))) return
      if (!isNear && element.childElementCount > 0) setHeight(element.offsetHeight)
      setNear(isNear)
    })
  }, [])
  const drawn = near || always
  useSteadyPage(box, drawn)
  const estimate = useMemo(() => (drawn ? 0 : estimateHeight(groups.flat())), [drawn, groups])
  return (
    <KeepMountedContext value={keepMounted}>
      {/* The same element whether its messages are drawn or not: it is the one that is observed. */}
      <div
        ref={box}
        className={drawn ? 'flex flex-col gap-6' : undefined}
        style={drawn ? undefined : { height: height ?? estimate }}
      >
        {drawn &&
          groups.map((group) => (
            <MessageView
              // Another version replaces the message, and the focus stays on the buttons that chose it.
              key={group[0].parent_id ?? 'first'}
              group={group}
              session={group.some(({ id }) => writing?.has(id) === true) ? session : undefined}
            />
          ))}
      </div>
    </KeepMountedContext>
  )
}, isSame)

/** The path is cut into new chunks whenever it changes; only their messages count. */
function isSame(before: MessageChunkProps, after: MessageChunkProps): boolean {
  const [old, fresh] = [before.groups.flat(), after.groups.flat()]
  return (
    before.always === after.always &&
    before.session === after.session &&
    before.writing === after.writing &&
    before.groups.length === after.groups.length &&
    old.length === fresh.length &&
    old.every((message, index) => message === fresh[index])
  )
}

/** Whether the focus or the selection of the user is inside. */
function isInUse(element: Element): boolean {
  if (element.contains(document.activeElement)) return true
  const selection = getSelection()
  if (selection === null || selection.isCollapsed) return false
  return element.contains(selection.anchorNode) || element.contains(selection.focusNode)
}

/** Pixels of a line of text, of what surrounds a message, and of the gap between two. */
const linePx = 26
const framePx = 58
const gapPx = 24

/** The approximate height of messages in pixels, used until they have been drawn once. */
function estimateHeight(messages: readonly Message[]): number {
  const heights = messages.map(({ role, content }) => {
    const text = textOfContent(content)
    const lines = Math.ceil(text.length / (role === 'user' ? 62 : 86))
    return Math.max(1, lines) * linePx + framePx
  })
  return heights.reduce((sum, height) => sum + height + gapPx, -gapPx)
}

/** Messages are drawn within this distance above and below the window. */
const nearPx = 700

type NearListener = (isNear: boolean) => void

const nearListeners = new WeakMap<Element, NearListener>()
let observer: IntersectionObserver | undefined

/** Calls `listener` at once and on every change with whether an element is in or near the window. One observer serves all. */
function watchNear(element: Element, listener: NearListener): () => void {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) nearListeners.get(target)?.(isIntersecting)
    },
    { rootMargin: `${nearPx}px 0px` },
  )
  nearListeners.set(element, listener)
  observer.observe(element)
  return () => {
    nearListeners.delete(element)
    observer?.unobserve(element)
  }
}

/** Whether the browser lets the page move when something above the window changes its height. */
const needsHelp = typeof CSS !== 'undefined' && !CSS.supports('overflow-anchor', 'auto')

function useSteadyPage(box: { readonly current: HTMLElement | null }, drawn: boolean): void {
  const before = useRef<number>(undefined)
  useLayoutEffect(() => {
    const element = box.current
    if (!needsHelp || element === null) return
    const { height, top } = element.getBoundingClientRect()
    if (drawn && before.current !== undefined && top < 0) window.scrollBy(0, height - before.current)
    before.current = height
  }, [box, drawn])
}
