import type { Message } from '@yonder/contract/message'
import {
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
  useState,
  type Ref,
  type RefObject,
} from 'react'
import { flushSync } from 'react-dom'
import { useShortcut } from '../../../ui/shortcut/shortcut.ts'
import type { MessageListHandle } from '../list/message-list.tsx'
import { groupMessages } from '../list/message-tree.ts'
import { scrollToPlace } from '../list/scroll-to-place.ts'
import { messageElementId } from '../message/message-context.ts'
import type { ChatSession } from '../session/chat-session.ts'
import { ChatFinder, type Match } from './chat-finder.ts'
import { FindBar } from './find-bar.tsx'
import { FindMarks } from './find-marks.ts'
import { patternsOfQuery, patternsOfWords, type Patterns } from './find-text.ts'
import './find.css'

export interface FindInChatHandle {
  /**
   * Opens the search. With words, every occurrence of each of them is a match, as in the search of all chats, and the
   * first one in the message with this id is shown.
   */
  readonly open: (found?: { readonly words: string; readonly messageId: string }) => void
}

export interface FindInChatProps {
  readonly path: readonly Message[]
  /** Has the text so far of the replies that are being written. */
  readonly session?: ChatSession | undefined
  readonly list: RefObject<MessageListHandle | null>
  /** The element around the messages. */
  readonly content: RefObject<HTMLElement | null>
  /** Called before the page is scrolled to a match. */
  readonly onJump?: () => void
  readonly ref?: Ref<FindInChatHandle>
}

/**
 * Finds text in all messages of a chat, of which the browser's own search sees only those that are drawn. Its keys open
 * this one; pressed in it, they open the browser's.
 */
export function FindInChat(props: FindInChatProps) {
  const { list, content, onJump, ref } = props
  const [finder] = useState(() => new ChatFinder(loadTextOfMarkdown))
  const [isOpen, setOpen] = useState(false)
  const [query, setQuery] = useState('')
  const [marks] = useState(() => new FindMarks())
  const input = useRef<HTMLInputElement>(null)
  const focusBefore = useRef<Element>(null)

  const start = (next: Patterns, fromTurnId: string | undefined) => {
    marks.mark(next)
    finder.find(next, fromTurnId)
  }
  const open: FindInChatHandle['open'] = (found) => {
    if (!isOpen) focusBefore.current = document.activeElement
    flushSync(() => {
      setOpen(true)
      if (found !== undefined) setQuery(found.words)
    })
    finder.setTurns(listTurns(props))
    if (found !== undefined) {
      const patterns = patternsOfWords(found.words)
      marks.mark(patterns)
      finder.findIn(found.messageId, patterns)
    } else if (!isOpen) start(patternsOfQuery(query), firstTurnInView(content.current))
    // With words, the focus stays on the message that was found.
    if (found !== undefined) return
    input.current?.focus()
    input.current?.select()
  }
  const close = () => {
    const { current } = finder.state.get()
    setOpen(false)
    start([], undefined)
    const shown = current && document.getElementById(messageElementId(current.turnId))
    const next = shown ?? focusBefore.current
    if (next instanceof HTMLElement) next.focus({ preventScroll: true })
  }
  useImperativeHandle(ref, () => ({ open }))
  useShortcut('mod+f', () => (document.activeElement === input.current && isOpen ? false : open()), 'browser')

  if (!isOpen) return null
  return (
    <>
      <FindBar
        ref={input}
        finder={finder}
        query={query}
        onQuery={(next) => {
          const { current } = finder.state.get()
          setQuery(next)
          start(patternsOfQuery(next), current?.turnId ?? firstTurnInView(content.current))
        }}
        onStep={(direction) => void finder.step(direction)}
        onClose={close}
      />
      <FollowChat {...props} finder={finder} />
      <ShowMatches finder={finder} marks={marks} list={list} content={content} onJump={onJump} />
    </>
  )
}

async function loadTextOfMarkdown() {
  return (await import('../../../ui/markdown/drawn-text.ts')).drawnText
}

/** A reply that is being written is searched again after this time. */
const liveMs = 300

/** Searches what is added while the search is open. */
function FollowChat({ finder, path, session }: FollowChatProps) {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const update = () => {
      timer = undefined
      finder.setTurns(listTurns({ path, session }))
    }
    update()
    const stop = session?.renderedRun.subscribe(() => {
      timer ??= setTimeout(update, liveMs)
    })
    return () => {
      clearTimeout(timer)
      stop?.()
    }
  }, [finder, path, session])
  return null
}

type SearchedChat = Pick<FindInChatProps, 'path' | 'session'>

interface FollowChatProps extends SearchedChat {
  readonly finder: ChatFinder
}

function listTurns({ path, session }: SearchedChat) {
  const run = session?.renderedRun.get()
  const live = new Map(run?.messages.map((message) => [message.id, message]))
  return groupMessages(path.map((message) => live.get(message.id) ?? message))
}

interface ShowMatchesProps extends Pick<FindInChatProps, 'list' | 'content'> {
  readonly finder: ChatFinder
  readonly marks: FindMarks
  readonly onJump: (() => void) | undefined
}

/** Marks the matches in the messages, and scrolls to the one that is shown. */
function ShowMatches({ finder, marks, list, content, onJump }: ShowMatchesProps) {
  const endScroll = useRef<() => void>(undefined)
  useEffect(() => {
    const stop = content.current === null ? undefined : marks.watch(content.current)
    return () => {
      stop?.()
      endScroll.current?.()
    }
  }, [marks, content])

  const show = useEffectEvent(({ turnId, index }: Match) => {
    onJump?.()
    const turn = list.current?.draw(turnId)
    if (turn === undefined) return
    marks.show({ turn, index })
    let place: number | undefined
    endScroll.current = scrollToPlace(() => {
      const range = marks.currentRange()
      // Its text may be drawn later, or not at all, such as while it is being edited.
      if (range === undefined) {
        turn.scrollIntoView({ block: 'nearest' })
        return undefined
      }
      uncover(range)
      const { top, bottom } = range.getBoundingClientRect()
      place ??= choosePlace(top, bottom)
      return top - place
    })
  })
  useEffect(() => {
    let shown: Match | undefined
    // Outside of React's effects, in which nothing can be drawn at once.
    return finder.state.subscribe(() => {
      const { current } = finder.state.get()
      if (current === shown) return
      shown = current
      endScroll.current?.()
      if (current === undefined) marks.show(undefined)
      else show(current)
    })
  }, [finder, marks])
  return null
}

/** Opens the folded text in which a match is, and scrolls code and tables sideways to it. */
function uncover(range: Range): void {
  const element = range.startContainer.parentElement
  const match = range.getBoundingClientRect()
  const folded = element?.closest('.folded-content')
  // Scrolling opens a folded text, see `FoldedContent`.
  if (folded && match.bottom > folded.getBoundingClientRect().bottom) folded.scrollTop = 1
  const wide = element?.closest('pre, .markdown-table')
  if (!wide) return
  const box = wide.getBoundingClientRect()
  if (match.left < box.left || match.right > box.right)
    wide.scrollLeft += match.left - box.left - box.width / 4
}

/** Where the top of a match is to stand in the window: where it is if it is in view there, else in the upper third. */
function choosePlace(top: number, bottom: number): number {
  const edge = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0
  const height = window.innerHeight - edge
  return top >= edge + height * 0.05 && bottom <= edge + height * 0.7 ? top : edge + height * 0.3
}

/** The id of the first turn of which a part is in view. */
function firstTurnInView(content: HTMLElement | null): string | undefined {
  const edge = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0
  for (const turn of content?.querySelectorAll('article') ?? [])
    if (turn.getBoundingClientRect().bottom > edge) return turn.id.slice(messageElementId('').length)
  return undefined
}
