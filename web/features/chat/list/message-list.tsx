import type { Message } from '@yonder/contract/message'
import { filesOfContent, textOfContent } from '@yonder/contract/message-text'
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
import { DrawAllContext, LoadAllContext } from '../../../lib/draw-all.ts'
import { KeepMountedContext } from '../../../lib/keep-mounted.ts'
import { foldedPx } from '../../../ui/folded-content.tsx'
import { messageElementId } from '../message/message-context.ts'
import { MessageView } from '../message/message-view.tsx'
import type { ChatSession } from '../session/chat-session.ts'
import { SummaryContext } from '../summary/current-summary.ts'
import { SummaryBlock } from '../summary/summary-block.tsx'
import './message-list.css'
import { groupMessages, type MessageGroup } from './message-tree.ts'
import { PreparingNotice, PrintHead, usePrint } from './print-chat.tsx'
import { scrollToPlace } from './scroll-to-place.ts'

/** The number of message groups that are rendered or omitted together. */
const chunkLength = 10
/** A path of up to this many messages is always rendered whole. */
const maxWholeMessages = 60

export interface MessageListHandle {
  /** Draws the turn of a message, wherever it is, and returns its element. */
  readonly draw: (messageId: string) => HTMLElement | undefined
  /** Scrolls the turn of a message to the top of the window and focuses it. */
  readonly goTo: (messageId: string) => void
  /** Draws all messages and opens the browser's dialog for printing. */
  readonly print: () => void
}

export interface MessageListProps {
  /** The title of the chat, for print. */
  readonly title: string | undefined
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
export function MessageList(props: MessageListProps) {
  const { title, path, runMessageIds, session, opensAt = 'start', ref } = props
  const chunks = useMemo(() => cutPath(path), [path])
  const [target, setTarget] = useState<number>()
  const section = useRef<HTMLElement>(null)
  const isShort = path.length <= maxWholeMessages
  const { drawn, print, preparing } = usePrint(section, chunks.length, isShort)
  const endScroll = useRef<() => void>(undefined)
  useEffect(() => () => endScroll.current?.(), [])
  const draw = (messageId: string) => {
    endScroll.current?.()
    for (const { groups, index } of chunks)
      for (const group of groups) {
        if (!group.some(({ id }) => id === messageId)) continue
        flushSync(() => setTarget(index))
        return document.getElementById(messageElementId(group[0].id)) ?? undefined
      }
    return undefined
  }
  useImperativeHandle(ref, () => ({
    draw,
    print,
    goTo: (id) => {
      const element = draw(id)
      element?.focus({ preventScroll: true })
      if (element !== undefined) endScroll.current = scrollToPlace(() => distanceFromTop(element))
    },
  }))
  return (
    <div className="message-area">
      <section
        ref={section}
        aria-label="Messages"
        className="chat-messages mx-auto flex w-full max-w-column flex-col gap-6 px-4 pt-8 pb-6 sm:px-6"
      >
        {drawn === Infinity && <PrintHead title={title} path={path} />}
        <DrawAllContext value={drawn === Infinity}>
          <LoadAllContext value={preparing !== undefined}>
            {chunks.map(({ groups, index }) => (
              <MessageChunk
                key={index}
                groups={groups}
                runMessageIds={
                  groups.flat().some(({ id }) => runMessageIds?.has(id) === true) ? runMessageIds : undefined
                }
                session={session}
                startsRendered={opensAt === 'start' ? index < 2 : index >= chunks.length - 2}
                alwaysRendered={isShort || index === target || index < drawn}
              />
            ))}
          </LoadAllContext>
        </DrawAllContext>
        {preparing && (
          <PreparingNotice
            done={Math.round((preparing.drawn / chunks.length) * path.length)}
            all={path.length}
            onCancel={preparing.cancel}
          />
        )}
      </section>
    </div>
  )
}

/** How far an element is below the place to which `scroll-margin-top` scrolls it, in pixels. */
function distanceFromTop(element: HTMLElement): number {
  const margin = Number.parseFloat(getComputedStyle(element).scrollMarginTop) || 0
  return element.getBoundingClientRect().top - margin
}

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
        className={isRendered ? 'chat-chunk flex flex-col gap-6' : undefined}
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
/** The approximate height of the files of a message. */
const filesPx = 150
/** The approximate numbers of characters in a full line of a user's message and of a reply. */
const userLineChars = 62
const replyLineChars = 86

/** The approximate height of messages in pixels, used until they have been rendered once. */
function estimateHeight(messages: readonly Message[]): number {
  const heights = messages.map(({ role, content }) => {
    const text = textOfContent(content)
    const lines = Math.ceil(text.length / (role === 'user' ? userLineChars : replyLineChars))
    const height = Math.max(1, lines) * linePx
    const filesHeight = filesOfContent(content).length > 0 ? filesPx : 0
    return (role === 'user' ? Math.min(height, foldedPx) : height) + filesHeight + framePx
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
