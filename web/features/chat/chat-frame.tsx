import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { ArrowDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { useApi } from '../../lib/api/api-provider.tsx'
import { sentenceOf } from '../../lib/api/failure-sentences.ts'
import { useStore } from '../../lib/store.ts'
import { useAreaIsAtLeast } from '../../ui/area.ts'
import { IconButton } from '../../ui/button/icon-button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { useFocusAfterRemoval } from '../../ui/focus.ts'
import { Skeleton } from '../../ui/states/progress.tsx'
import type { BotChoice } from './composer/bot-select.tsx'
import { ContentsButton, ContentsColumnContext, useHasContentsColumn } from './contents/chat-contents.tsx'
import type { ChatSession } from './session/chat-session.ts'
import { countCallsAfter } from './session/run-messages.ts'
import type { SessionView } from './session/session-reducer.ts'
import { describeSummarizing } from './summary/current-summary.ts'

export interface ChatFrameProps {
  /** The table of contents, left of the messages in a wide area. */
  readonly contents?: ReactNode
  /** Shown right of the messages on a wide window. */
  readonly aside: ReactNode
  /** Reserves the space of a hidden aside, so that the text does not move when the aside is shown. */
  readonly reservesAside: boolean
  readonly children: ReactNode
}

/** From this width of the area on, in rem, the text is centred by an empty column. */
const centredRem = 76

/**
 * The columns of a chat: contents, messages, aside. Without a column for the aside, a very wide area has an
 * empty one as wide as the contents in its place, which centres the text.
 */
export function ChatFrame({ contents, aside, reservesAside, children }: ChatFrameProps) {
  const hasAside = Boolean(aside) || reservesAside
  const hasContents = useHasContentsColumn(hasAside)
  const isCentred = useAreaIsAtLeast(centredRem)
  const withContents = hasAside
    ? 'grid grid-cols-[15rem_minmax(0,1fr)_18rem]'
    : isCentred
      ? 'grid grid-cols-[15rem_minmax(0,1fr)_15rem] [--empty-column:15rem]'
      : 'grid grid-cols-[15rem_minmax(0,1fr)]'
  const withoutContents = classNames(
    'flex flex-col',
    hasAside && 'lg:grid lg:grid-cols-[minmax(0,1fr)_18rem]',
  )
  return (
    <ContentsColumnContext value={hasContents}>
      <div className={classNames('flex-1', hasContents ? withContents : withoutContents)}>
        <div className={hasContents ? 'block' : 'contents'}>{contents}</div>
        <div className="flex min-w-0 flex-1 flex-col">{children}</div>
        {aside && <div className="hidden min-w-0 lg:block">{aside}</div>}
      </div>
    </ContentsColumnContext>
  )
}

/** A placeholder with the shape of a short chat. */
export function ChatSkeleton() {
  return (
    <output
      aria-label="Loading the chat"
      className="mx-auto flex w-full max-w-column flex-col gap-8 px-4 pt-8 sm:px-6"
    >
      <ContentsButton />
      <Skeleton shape="block" size="ml-auto h-12 w-3/5" />
      <span className="flex flex-col gap-3">
        <Skeleton size="h-4 w-full" />
        <Skeleton size="h-4 w-11/12" />
        <Skeleton size="h-4 w-2/3" />
      </span>
    </output>
  )
}

export interface ComposerBarProps {
  /** Undefined while the page follows its end. */
  readonly onGoToEnd: (() => void) | undefined
  /** Called when the button is removed while it has the focus. */
  readonly onButtonRemoved: () => void
  readonly children: ReactNode
}

/** The bottom of a chat: the input over a fading background, and a button that scrolls to the end. */
export function ComposerBar({ onGoToEnd, onButtonRemoved, children }: ComposerBarProps) {
  return (
    <div className="sticky bottom-0 z-10 fade-to-page pt-10 short:pt-9">
      {/* The bar has room for the hidden button too, so that nothing moves under the pointer when it appears. */}
      {onGoToEnd !== undefined && <GoToEndButton onPress={onGoToEnd} onRemoved={onButtonRemoved} />}
      <div className="mx-auto w-full max-w-column px-4 pb-3 sm:px-6 sm:pb-5 short:pb-2">{children}</div>
    </div>
  )
}

function GoToEndButton({
  onPress,
  onRemoved,
}: {
  readonly onPress: () => void
  readonly onRemoved: () => void
}) {
  const button = useFocusAfterRemoval<HTMLButtonElement>(onRemoved)
  return (
    <div className="pointer-events-none absolute inset-x-0 top-1 flex justify-center">
      <span className="pointer-events-auto inline-flex animate-appear">
        <IconButton
          ref={button}
          label="Go to the end"
          look="floating"
          shape="round"
          size="small"
          onClick={onPress}
        >
          <ArrowDown size={16} aria-hidden />
        </IconButton>
      </span>
    </div>
  )
}

export interface ChatStatusProps {
  readonly view: SessionView
  /** The reply whose call needs approval. Sending a message denies this call and those after it. */
  readonly pending: Message | undefined
  readonly choice: BotChoice
}

/**
 * The line above the input: a lost connection, a failure, how a message affects the pending call, or that another bot
 * replies now.
 */
export function ChatStatus({ view: { phase, notice }, pending, choice }: ChatStatusProps) {
  // While a proxy holds the stream back, the page says that elsewhere.
  const isLost = useStore(useApi().live.state) === 'lost' && (phase === 'running' || phase === 'stopping')
  const hint = pending ? describePending(countCallsAfter(pending)) : describeMissing(choice)
  const text = isLost ? sentenceOf('reconnecting') : (notice ?? hint)
  return <output className="block px-4 pb-2 text-center text-sm text-muted empty:sr-only">{text}</output>
}

function describeMissing({ missing, selected }: BotChoice): string | undefined {
  return missing && `The bot of the last reply, ${missing}, no longer exists. ${selected?.name} replies now.`
}

function describePending(callsAfter: number): string {
  const start = 'A tool call needs your approval. Sending a message denies'
  if (callsAfter === 0) return `${start} it.`
  return `${start} it and the ${callsAfter === 1 ? 'call' : `${callsAfter} calls`} after it.`
}

/** At most this many characters of a reply are announced to a screen reader; the rest can be read on the page. */
const maxAnnouncedChars = 280

/**
 * Announces to a screen reader how a reply has ended, and whether its tool call needs approval. `reply` is the
 * `endedReply` of the session.
 */
export function ReplyAnnouncer({ reply }: { readonly reply: Message | undefined }) {
  return <output className="sr-only">{reply === undefined ? '' : announce(reply)}</output>
}

/** Announces to a screen reader once that older messages are being summarised. */
export function SummarizingAnnouncer({ session }: { readonly session: ChatSession }) {
  const count = useStore(session.renderedRun, (run) => run?.messages.at(-1)?.compacting)
  return <output className="sr-only">{count === undefined ? '' : describeSummarizing(count)}</output>
}

function announce({ role, content, status, error, call, server, tool }: Message): string {
  // A run that is stopped or interrupted during a call ends with the result of the call.
  if (role === 'user')
    return tool === undefined
      ? ''
      : `The reply ended after a call of ${tool} of ${server}. You can continue it.`
  const text = textOfContent(content).slice(0, maxAnnouncedChars)
  if (status === 'failed') return `The reply failed. ${error?.message ?? 'Unknown error occurred'}`
  if (status === 'stopped' || status === 'interrupted') return `Reply ${status}. ${text}`.trim()
  if (call?.state !== 'waiting') return `Reply finished. ${text}`
  return `${text} The tool ${call.title ?? tool} of ${server} needs your approval.`.trim()
}
