import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { estimateHeight } from './estimate-height.ts'
import type { MessageGroup } from './group-messages.ts'
import type { ChatSession } from '../session/chat-session.ts'
import { MessageView } from '../message/message-view.tsx'
import { watchNear } from './watch-near.ts'

export interface MessageChunkProps {
  readonly groups: readonly MessageGroup[]
  readonly writing: ReadonlySet<string> | undefined
  readonly session: ChatSession | undefined
  /** Drawn before it is known where the window stands. */
  readonly first: boolean
  /** Drawn wherever the window stands. */
  readonly always: boolean
}

/** Some messages in a row. Far from the window an empty box of their height stands for them. */
export const MessageChunk = memo(function MessageChunk(props: MessageChunkProps) {
  const { groups, writing, session, first, always } = props
  const box = useRef<HTMLDivElement>(null)
  const [near, setNear] = useState(first)
  const [height, setHeight] = useState<number>()
  useEffect(() => {
    const element = box.current
    if (element === null) return
    return watchNear(element, (isNear) => {
      if (!isNear && isInUse(element)) return
      if (!isNear && element.childElementCount > 0) setHeight(element.offsetHeight)
      setNear(isNear)
    })
  }, [])
  const drawn = near || always
  useSteadyPage(box, drawn)
  const estimate = useMemo(() => (drawn ? 0 : estimateHeight(groups.flat())), [drawn, groups])
  if (!drawn) return <div ref={box} style={{ height: height ?? estimate }} />
  return (
    <div ref={box} className="flex flex-col gap-6">
      {groups.map((group) => (
        <MessageView
          // A version takes the place of another one, and the focus stays on its buttons.
          key={group[0].parent_id ?? 'first'}
          group={group}
          session={group.some(({ id }) => writing?.has(id) === true) ? session : undefined}
        />
      ))}
    </div>
  )
}, isSame)

/** The chunks of a path are cut anew whenever it changes; what counts is what they hold. */
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

/** Whether a person has the focus, a selection or something half written there. */
function isInUse(element: Element): boolean {
  if (element.contains(document.activeElement) || element.querySelector('[data-keep]') !== null) return true
  const selection = getSelection()
  if (selection === null || selection.isCollapsed) return false
  return element.contains(selection.anchorNode) || element.contains(selection.focusNode)
}

/** Where the browser does not hold the page still by itself while something above the window changes its height. */
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
