import type { ChatSummary, Passage } from '@yonder/contract/chat'
import { excerptOf } from '@yonder/contract/lib/excerpt'
import { foldWords } from '@yonder/contract/lib/fold-text'
import {
  cutText,
  deriveTitle,
  maxHistoryTitleChars,
  maxTitleSourceChars,
  stripMarkdown,
  textOfContent,
} from '@yonder/contract/message-text'
import { MessagesSquare, SearchX } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { Link } from 'react-router'
import type { ChatSearch } from '../../data/chats.ts'
import { linkToMessage } from '../../data/message-link.ts'
import { useProjects } from '../../data/projects.ts'
import { formatMoment, formatRecent } from '../../lib/format-time.ts'
import { Button } from '../../ui/button/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { focusLastEntry, useFocusAfterRemoval } from '../../ui/focus.ts'
import { ModelIcon } from '../../ui/icons/model-icon.tsx'
import { MarkedText } from '../../ui/marked-text.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { EmptyState, LoadingState } from '../../ui/states/states.tsx'

export interface HistoryResultsProps {
  readonly result: ChatSearch
  readonly search: string
  readonly onOpen: () => void
}

/** The results of the search, in each of its states. */
export function HistoryResults({ result, search, onOpen }: HistoryResultsProps) {
  const { chats, error, isLoading } = result
  if (isLoading) return <LoadingState>Loading chats...</LoadingState>
  if (error !== undefined)
    return (
      <ErrorState title="Error loading chats" onRetry={result.retry}>
        Your chats could not be loaded. Yonder tries again every five seconds.
      </ErrorState>
    )
  if (chats.length === 0)
    return search === '' ? (
      <EmptyState icon={<MessagesSquare size={22} aria-hidden />} title="No chats yet">
        Your chats with bots are listed here.
      </EmptyState>
    ) : (
      <EmptyState icon={<SearchX size={22} aria-hidden />} title="No chats found">
        Every word must occur in the chat. Try fewer or shorter words.
      </EmptyState>
    )
  return (
    <>
      <ul aria-label={search === '' ? 'Recent chats' : 'Chats found'} className="p-2">
        {chats.map((chat) => (
          <HistoryRow key={chat.id} chat={chat} search={search} onOpen={onOpen} />
        ))}
      </ul>
      {/* The key changes with every page, so that a button that stays in view loads the next page too. */}
      {result.hasMore && <MoreButton key={chats.length} result={result} />}
    </>
  )
}

/**
 * A button that loads the next page when pressed, or when it is scrolled into view. If it has the focus, the focus then
 * moves to the row before the new ones.
 */
function MoreButton({ result }: Pick<HistoryResultsProps, 'result'>) {
  const box = useFocusAfterRemoval<HTMLDivElement>(focusLastEntry)
  const load = useEffectEvent(result.loadMore)
  useEffect(() => {
    if (box.current === null) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) load()
    })
    observer.observe(box.current)
    return () => observer.disconnect()
  }, [box])
  return (
    <div ref={box} className="flex justify-center px-2 pb-3">
      <Button look="plain" size="small" busy={result.isLoadingMore} onClick={result.loadMore}>
        Show more
      </Button>
    </div>
  )
}

interface HistoryRowProps {
  readonly chat: ChatSummary
  readonly search: string
  readonly onOpen: () => void
}

function HistoryRow({ chat, search, onOpen }: HistoryRowProps) {
  const { title, isTitleCut, preview, model } = summarizeChat(chat, search)
  const { passage } = chat
  const updated = new Date(chat.update_time)
  return (
    <li>
      <Link
        to={linkToMessage(chat.id, passage && { messageId: passage.message_id, words: search })}
        onClick={(event) => {
          // With a modifier key the browser opens the chat in another tab or window, so the dialog stays open.
          if (!event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey) onOpen()
        }}
        className="flex items-center gap-3 rounded-control px-3 py-2.5 transition-colors hover:bg-hover focus-visible:bg-hover focus-visible:outline-offset-[-2px]"
      >
        <span className="text-muted">
          <ModelIcon model={model} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline justify-between gap-3">
            <span
              dir="auto"
              className={classNames('truncate text-sm font-medium', isTitleCut && "after:content-['…']")}
            >
              <MarkedText text={title} search={search} />
            </span>
            <time
              dateTime={chat.update_time}
              title={formatMoment(updated)}
              className="shrink-0 text-xs text-muted tabular-nums"
            >
              {formatRecent(updated)}
            </time>
          </span>
          {/* A passage is shown whole, also on a phone, because its words may be anywhere in it. */}
          <span
            dir="auto"
            className={classNames(
              'text-sm text-muted',
              passage === undefined ? 'block truncate' : 'line-clamp-2 wrap-anywhere',
            )}
          >
            <MarkedText text={preview} search={search} />
          </span>
          {search !== '' && (
            <span className="block truncate text-xs text-muted tabular-nums">
              {chat.project_id === undefined ? describeMatch(chat) : <MatchInProject chat={chat} />}
            </span>
          )}
        </span>
      </Link>
    </li>
  )
}

type SummaryMessage = ChatSummary['messages'][number]

/** The length of a preview. */
const maxPreviewChars = 50

/** Returns what the history shows of a chat. The preview is the passage that a search has found, if there is one. */
export function summarizeChat({ messages, passage, title, title_source: source }: ChatSummary, search = '') {
  const [first, second] = messages
  if (first === undefined)
    return { title: 'New Chat', isTitleCut: false, preview: 'Start a new conversation...', model: undefined }
  const last = messages.findLast((message) => textOf(message) !== '') ?? first
  const beginning = deriveTitle(describeMessage(first), maxHistoryTitleChars)
  const preview = cutText(previewOf(last), maxPreviewChars)
  return {
    title: source === undefined || title === undefined ? beginning.text : title,
    isTitleCut: source === undefined && beginning.isCut,
    preview:
      passage === undefined
        ? `${preview.text}${preview.isCut ? '...' : ''}`
        : excerptOf(passage.text, foldWords(search), maxPreviewChars),
    /** The second message is the first reply. */
    model: second?.model,
  }
}

/** The server counts passages up to this number, which means as many or more. */
const maxPassages = 100

function MatchInProject({ chat }: Pick<HistoryRowProps, 'chat'>) {
  const project = useProjects().data?.find(({ id }) => id === chat.project_id)
  return describeMatch(chat, project?.name)
}

/** Says what a search has found in a chat, besides its title, and where the chat is. */
function describeMatch({ passage, archived }: ChatSummary, project?: string): string {
  const text = [
    passage && describePassages(passage),
    archived && 'archived',
    project !== undefined && `in ${project}`,
  ]
    .filter(Boolean)
    .join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Says how many passages there are, and when and by whom the one is that is shown. */
function describePassages({ count, role, bot, model, time }: Passage): string {
  const who = role === 'user' ? 'you' : (bot ?? model ?? 'a bot')
  const here = `${time === undefined ? '' : `${formatRecent(new Date(time))} `}by ${who}`
  if (count === 1) return `1 passage, ${here}`
  return `${count}${count >= maxPassages ? ' or more' : ''} passages, this one ${here}`
}

function describeMessage(message: SummaryMessage): string {
  return textOf(message) || 'Message content'
}

/** Returns the text of a message on one line, without markdown marks unless it consists of marks only. */
function previewOf(message: SummaryMessage): string {
  return toLine(stripMarkdown(sourceOf(message))) || describeMessage(message)
}

function textOf(message: SummaryMessage): string {
  return toLine(sourceOf(message))
}

/** Returns the part of a message from which its title and preview are derived. */
function sourceOf({ content }: SummaryMessage): string {
  return textOfContent(content).slice(0, maxTitleSourceChars)
}

function toLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
