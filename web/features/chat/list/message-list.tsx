import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import {
  Fragment,
  memo,
  use,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type Ref,
} from 'react'
import { flushSync } from 'react-dom'
import { KeepMountedContext } from '../../../lib/keep-mounted.ts'
import { foldedPx } from '../../../ui/folded-content.tsx'
import { messageElementId } from '../message/message-context.ts'
import { MessageView } from '../message/message-view.tsx'
import type { ChatSession } from '../session/chat-session.ts'
import { SummaryContext } from '../summary/current-summary.ts'
import { SummaryBlock } from '../summary/summary-block.tsx'
import { groupMessages, type MessageGroup } from './message-tree.ts'

/** The number of message groups that are rendered or omitted together. */
const chunkLength = 10
/**
 * A path of up to this many messages is always rendered whole, so that the browser's search finds each message.
 */
const maxWholeMessages = 60

export interface MessageListHandle {
  /** Scrolls a message of the user to the top of the window and focuses it. */
  readonly goTo: (messageId: string) => void
}

export interface MessageListProps {
  readonly path: readonly Message[]
  /** The ids of the messages of the current run. */
  readonly runMessageIds?: ReadonlySet<string>
  /** The session that has the text of these messages so far. */
  readonly session?: ChatSession
  /** Which end of a long chat is rendered first. */
  readonly opensAt?: 'start' | 'end'
  readonly ref?: Ref<MessageListHandle>
}

/**
 * The messages of the visible path, oldest first. In a long chat only those near the window are rendered.
 */
export function MessageList({ path, runMessageIds, session, opensAt = 'start', ref }: MessageListProps) {
  const chunks = useMemo(() => cutPath(path), [path])
  const [target, setTarget] = useState<number>()
  useImperativeHandle(ref, () => ({
    goTo: (id) => {
      const chunk = chunks.find(({ groups }) => groups.some((group) => group[0].id === id))
      flushSync(() => setTarget(chunk?.index))
      findElement(id)?.scrollIntoView()
      findElement(id)?.focus({ preventScroll: true })
      // The chunks around the message are rendered only now, and their heights may differ from the estimates.
      requestAnimationFrame(() => requestAnimationFrame(() => findElement(id)?.scrollIntoView()))
    },
  }))
  return (
    <section
      aria-label="Messages"
      className="mx-auto flex w-full max-w-column flex-col gap-6 px-4 pt-8 pb-6 sm:px-6"
    >
      {chunks.map(({ groups, index }) => (
        <MessageChunk
          key={index}
          groups={groups}
          runMessageIds={
            groups.flat().some(({ id }) => runMessageIds?.has(id) === true) ? runMessageIds : undefined
          }
          session={session}
          startsRendered={opensAt === 'start' ? index < 2 : index >= chunks.length - 2}
          alwaysRendered={path.length <= maxWholeMessages || index === target}
        />
      ))}
    </section>
  )
}

const findElement = (messageId: string) => document.getElementById(messageElementId(messageId))

interface Chunk {
  readonly index: number
  readonly groups: readonly MessageGroup[]
}

function cutPath(path: readonly Message[]): readonly Chunk[] {
  const groups = groupMessages(path)
  const count = Math.ceil(groups.length / chunkLength)
  return Array.from({ length: count }, (_, index) => ({
    index,
    groups: groups.slice(index * chunkLength, (index + 1) * chunkLength),
  }))
}

interface MessageChunkProps {
  readonly groups: readonly MessageGroup[]
  /** The ids of the messages of the current run, if the chunk contains any of them. */
  readonly runMessageIds: ReadonlySet<string> | undefined
  readonly session: ChatSession | undefined
  /** Whether the chunk is rendered before its distance from the window is known. */
  readonly startsRendered: boolean
  /** Whether the chunk is rendered even when it is far from the window. */
  readonly alwaysRendered: boolean
}

/**
 * Consecutive messages. While they are far from the window, an empty box replaces them. It has the height that they had
 * last, or an estimate.
 */
const MessageChunk = memo(function MessageChunk(props: MessageChunkProps) {
  const { groups, runMessageIds, session, startsRendered, alwaysRendered } = props
  const box = useRef<HTMLDivElement>(null)
  const keepCount = useRef(0)
  const keepMounted = useCallback(() => {
    keepCount.current += 1
    return () => {
      keepCount.current -= 1
    }
  }, [])
  const [isNear, setNear] = useState(startsRendered)
  const [height, setHeight] = useState<number>()
  useEffect(() => {
    const element = box.current
    if (element === null) return
    return watchNear(element, (next) => {
      if (!next && (keepCount.current > 0 || isInUse(element))) return
      if (!next && element.childElementCount > 0) setHeight(element.offsetHeight)
      setNear(next)
    })
  }, [])
  const isRendered = isNear || alwaysRendered
  useScrollAnchoring(box, isRendered)
  const estimate = useMemo(() => (isRendered ? 0 : estimateHeight(groups.flat())), [isRendered, groups])
  return (
    <KeepMountedContext value={keepMounted}>
      {/* This element is observed, so it stays the same whether or not its messages are rendered. */}
      <div
        ref={box}
        className={isRendered ? 'flex flex-col gap-6' : undefined}
        style={isRendered ? undefined : { height: height ?? estimate }}
      >
        {isRendered &&
          groups.map((group) => (
            // All versions of a message have the same parent and so the same key: the version buttons keep the focus.
            <Fragment key={group[0].parent_id ?? 'first'}>
              <MessageView
                group={group}
                session={group.some(({ id }) => runMessageIds?.has(id) === true) ? session : undefined}
              />
              <SummaryAfter group={group} />
            </Fragment>
          ))}
      </div>
    </KeepMountedContext>
  )
}, isSame)

/** The summary, if it is shown after this group. */
function SummaryAfter({ group }: { readonly group: MessageGroup }) {
  const summary = use(SummaryContext)
  if (summary === undefined || !group.some(({ id }) => id === summary.messageId)) return null
  return <SummaryBlock key={summary.compaction.id} summary={summary} />
}

/** Each change of the path creates new arrays of groups, so the messages in them are compared. */
function isSame(before: MessageChunkProps, after: MessageChunkProps): boolean {
  const [oldMessages, newMessages] = [before.groups.flat(), after.groups.flat()]
  return (
    before.alwaysRendered === after.alwaysRendered &&
    before.session === after.session &&
    before.runMessageIds === after.runMessageIds &&
    before.groups.length === after.groups.length &&
    oldMessages.length === newMessages.length &&
    oldMessages.every((message, index) => message === newMessages[index])
  )
}

/** Whether the element contains the focus or the user's text selection. */
function isInUse(element: Element): boolean {
  if (element.contains(document.activeElement)) return true
  const selection = getSelection()
  if (selection === null || selection.isCollapsed) return false
  return element.contains(selection.anchorNode) || element.contains(selection.focusNode)
}

/** The heights of a line of text, of the rest of a message, and of the gap between two messages. */
const linePx = 26
const framePx = 58
const gapPx = 24
/** The approximate numbers of characters in a full line of a user's message and of a reply. */
const userLineChars = 62
const replyLineChars = 86

/** The approximate height of messages in pixels, used until they have been rendered once. */
function estimateHeight(messages: readonly Message[]): number {
  const heights = messages.map(({ role, content }) => {
    const text = textOfContent(content)
    const lines = Math.ceil(text.length / (role === 'user' ? userLineChars : replyLineChars))
    const height = Math.max(1, lines) * linePx
    return (role === 'user' ? Math.min(height, foldedPx) : height) + framePx
  })
  return heights.reduce((sum, height) => sum + height + gapPx, -gapPx)
}

/** Messages within this distance above and below the window are rendered. */
const nearPx = 700

type NearListener = (isNear: boolean) => void

const nearListeners = new WeakMap<Element, NearListener>()
let observer: IntersectionObserver | undefined

/**
 * Calls `listener` with whether an element is near the window: once soon after this call, then on every change. All
 * elements share one observer.
 */
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

/** Without scroll anchoring, the text in the window moves when something above the window changes its height. */
const lacksScrollAnchoring = typeof CSS !== 'undefined' && !CSS.supports('overflow-anchor', 'auto')

function useScrollAnchoring(box: { readonly current: HTMLElement | null }, isRendered: boolean): void {
  const before = useRef<number>(undefined)
  useLayoutEffect(() => {
    const element = box.current
    if (!lacksScrollAnchoring || element === null) return
    const { height, top } = element.getBoundingClientRect()
    if (isRendered && before.current !== undefined && top < 0) window.scrollBy(0, height - before.current)
    before.current = height
  }, [box, isRendered])
}
