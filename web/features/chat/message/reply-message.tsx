import type { Message } from '@yonder/contract/message'
import { textOfContent, textOfMessage } from '@yonder/contract/message-text'
import { ChevronRight, RefreshCw } from 'lucide-react'
import { Fragment, memo, use, useState, type ReactNode } from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { LongText } from '../../../ui/long-text.tsx'
import { Markdown } from '../../../ui/markdown/markdown.tsx'
import { MessageFiles } from '../../files/message-files.tsx'
import { SharedToolCall } from '../../tools/call/shared-tool-call.tsx'
import { ToolBlock } from '../../tools/call/tool-block.tsx'
import { describeSummarizing } from '../summary/current-summary.ts'
import { FoldedCalls, hasOwnContent, useFolds, type Folds } from './folded-calls.tsx'
import { groupContinued, joinCutText } from './join-replies.ts'
import { LeftOutNotice } from './left-out-notice.tsx'
import { MessageActionsContext, messageElementId, ToolCallsContext } from './message-context.ts'
import { BranchControl, MessageMeta } from './message-meta.tsx'

export interface ReplyMessageProps {
  /** The replies of the turn without `last`, oldest first. */
  readonly earlier: readonly Message[]
  readonly last: Message
  /** Whether the turn is still being written, including the time between a tool call and the reply after it. */
  readonly isWriting: boolean
}

/** The replies of a turn, shown as one message. */
export function ReplyMessage({ earlier, last, isWriting }: ReplyMessageProps) {
  const replies = [...earlier, last]
  const folds = useFolds(replies)
  const isBusy = isWriting || last.status === 'streaming'
  return (
    <article
      aria-label={last.bot ?? last.model ?? 'Reply'}
      aria-busy={isBusy || undefined}
      id={messageElementId((earlier[0] ?? last).id)}
      tabIndex={-1}
      // Consecutive tool calls have less space between them.
      className="group/message flex scroll-mt-[calc(var(--spacing-header-end)+1rem)] flex-col gap-2 outline-none [&>section+section]:-mt-2.5"
    >
      {groupContinued(replies).map(([first, ...rest]) => {
        const message = rest.at(-1) ?? first
        const cut = rest.length === 0 ? [] : [first, ...rest.slice(0, -1)]
        return (
          <Fragment key={first.parent_id}>
            <ReplyPart
              id={first.id}
              textBefore={joinCut(cut)}
              reasoningBefore={joinParagraphs(cut.map(({ reasoning }) => reasoning))}
              message={message}
              isCallHidden={folds.isHidden(message.id)}
              onToggleCall={folds.onToggleCall}
              foldLine={renderFold(folds, message.id)}
            />
            {[...cut, message].map((reply) => (
              <Fragment key={reply.parent_id}>
                {reply !== message && <ReplyNotices message={reply} />}
                {reply !== last && <ReplyVersions reply={reply} />}
              </Fragment>
            ))}
          </Fragment>
        )
      })}
      {isBusy ? (
        <div className="min-h-8" />
      ) : (
        <MessageMeta message={last} replies={replies} text={joinTexts(replies)} align="start" />
      )}
    </article>
  )
}

function renderFold(folds: Folds, replyId: string) {
  const fold = folds.foldAt(replyId)
  return fold && <FoldedCalls fold={fold} open={folds.isOpen(fold)} onToggle={() => folds.toggle(fold)} />
}

/** The version buttons of a reply before the last one of a turn. Those of the last reply are in `MessageMeta`. */
function ReplyVersions({ reply }: { readonly reply: Message }) {
  const actions = use(MessageActionsContext)
  const siblings = actions?.siblingsOf(reply)
  if (actions === undefined || siblings === undefined || siblings.ids.length < 2) return null
  return (
    <div className="flex text-xs text-muted tabular-nums">
      <BranchControl siblings={siblings} disabled={actions.busy} onSelect={actions.select} />
    </div>
  )
}

/** Joins the texts of a turn, which are copied as one. */
function joinTexts(replies: readonly Message[]): string {
  return joinParagraphs(
    groupContinued(replies).map((group) =>
      group.map(({ content }) => textOfContent(content)).reduce(joinCutText),
    ),
  )
}

/** Joins the texts of replies that were cut, each of which continues the one before it. */
function joinCut(cut: readonly Message[]): string {
  return cut.map(textOfMessage).reduce(joinCutText, '')
}

function joinParagraphs(texts: readonly (string | undefined)[]): string {
  return texts.filter(Boolean).join('\n\n')
}

interface ReplyPartProps {
  /** The id of `message`, or of the first reply that it continues. */
  readonly id: string
  /** The text and the reasoning of the replies that `message` continues; empty if it continues none. */
  readonly textBefore: string
  readonly reasoningBefore: string
  readonly message: Message
  readonly isCallHidden: boolean
  readonly onToggleCall: Folds['onToggleCall']
  /** The line of folded calls above the reply's call. */
  readonly foldLine: ReactNode
}

/** One reply of a turn, with those that it continues: the reasoning, the text, the tool call, and how it ended. */
const ReplyPart = memo(function ReplyPart({
  id,
  textBefore,
  reasoningBefore,
  message,
  isCallHidden,
  onToggleCall,
  foldLine,
}: ReplyPartProps) {
  const streaming = message.status === 'streaming'
  const ownText = textOfMessage(message)
  const text = joinCutText(textBefore, ownText)
  const reasoning = joinParagraphs([reasoningBefore, message.reasoning])
  if (isCallHidden && textBefore === '' && !hasOwnContent(message)) return foldLine
  return (
    <>
      {reasoning !== '' && <Reasoning text={reasoning} isThinking={streaming && ownText === ''} />}
      {text !== '' && <Markdown key={id} text={text} growing={streaming} />}
      <MessageFiles content={message.content} />
      {streaming && ownText === '' && <PulsingDots summarizing={message.compacting} />}
      {foldLine}
      {message.tool !== undefined && !isCallHidden && <ReplyCall message={message} onToggle={onToggleCall} />}
      <ReplyNotices message={message} />
      <ReplyOutcome message={message} />
    </>
  )
})

/** What the server notes about a reply. */
function ReplyNotices({ message: { notice, left_out_tools } }: { readonly message: Message }) {
  return (
    <>
      {notice !== undefined && (
        <p dir="auto" className="text-sm text-muted">
          {notice}
        </p>
      )}
      {left_out_tools !== undefined && <LeftOutNotice leftOut={left_out_tools} />}
    </>
  )
}

interface ReasoningProps {
  readonly text: string
  /** Whether the reply is being written and has no text yet. */
  readonly isThinking: boolean
}

/** The model's reasoning, collapsed above the text of the reply. It is rendered only while it is open. */
function Reasoning({ text, isThinking }: ReasoningProps) {
  const [open, setOpen] = useState(false)
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="text-sm text-muted"
    >
      <summary className="-ml-1 inline-flex list-none items-center gap-1 rounded-control py-1 pr-2 hover:text-ink">
        <ChevronRight
          size={16}
          aria-hidden
          className={open ? 'rotate-90 transition-transform' : 'transition-transform'}
        />
        <span className={isThinking ? 'animate-pulse' : undefined}>
          {isThinking ? 'Thinking...' : 'Reasoning'}
        </span>
      </summary>
      {open && (
        <div dir="auto" className="mt-1 border-l-2 border-line pl-4 leading-relaxed whitespace-pre-wrap">
          <LongText text={text} />
        </div>
      )}
    </details>
  )
}

const dotDelays = ['', '[animation-delay:200ms]', '[animation-delay:400ms]']

/**
 * The placeholder of a reply without text yet, with the number of messages that are being summarised, if any.
 */
function PulsingDots({ summarizing }: { readonly summarizing: number | undefined }) {
  return (
    <span className="flex h-7 items-center gap-1.5">
      {summarizing === undefined && <span className="sr-only">The reply is being written</span>}
      {dotDelays.map((delay) => (
        <span key={delay} aria-hidden className={`size-2 animate-pulse rounded-full bg-muted ${delay}`} />
      ))}
      {summarizing !== undefined && (
        <span className="ml-1.5 animate-appear text-sm text-muted">{describeSummarizing(summarizing)}</span>
      )}
    </span>
  )
}

interface ReplyCallProps {
  readonly message: Message
  readonly onToggle: Folds['onToggleCall']
}

/** The tool call of a reply with the actions that the user can take. */
function ReplyCall({ message, onToggle }: ReplyCallProps) {
  const { resultOf, denialOf, last } = use(ToolCallsContext)
  const actions = use(MessageActionsContext)
  const result = resultOf(message.id)
  const denial = denialOf(message.id)
  if (actions === undefined) return <SharedToolCall message={message} result={result} />
  const { busy, allow, deny } = actions
  return (
    <>
      <ToolBlock
        chatId={actions.chatId}
        message={message}
        result={result}
        isLast={last?.id === message.id}
        decide={
          busy || allow === undefined || deny === undefined
            ? undefined
            : {
                allow: (edited) => allow(message, edited),
                deny: (reason) => deny(message, reason),
              }
        }
        onChange={actions.replace}
        onToggle={(open) => onToggle(message.id, open)}
      />
      {/* The user may have written something else instead, which is another version of the message that is not shown. */}
      {denial !== undefined && <ReplyVersions reply={denial} />}
      {!busy && result !== undefined && result.id === last?.id && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <p className="text-sm text-muted italic">The model did not continue after this result.</p>
          <ContinueButton last={result} />
        </div>
      )}
    </>
  )
}

/** Requests what is missing after the last message of the chat. There is no button after another message. */
function ContinueButton({ last: message }: { readonly last: Message }) {
  const { last } = use(ToolCallsContext)
  const { busy = true, continueAfter } = use(MessageActionsContext) ?? {}
  if (busy || message.id !== last?.id) return null
  return (
    <Button size="small" disabled={continueAfter === undefined} onClick={() => continueAfter?.(message)}>
      Continue
    </Button>
  )
}

/** Why a reply is incomplete, with a button that requests the rest of it, or another one. */
function ReplyOutcome({ message }: { readonly message: Message }) {
  if (message.status === 'failed')
    return (
      <div className="flex flex-col items-start gap-2">
        <p
          dir="auto"
          className="w-full rounded-card bg-danger-soft px-4 py-3 text-sm leading-relaxed whitespace-pre-wrap"
        >
          <strong className="text-danger">Error:</strong>{' '}
          <LongText text={message.error?.message ?? 'Unknown error occurred'} />
        </p>
        <div className="flex flex-wrap gap-2">
          <WithoutFileButton message={message} />
          <RegenerateButton message={message} />
        </div>
      </div>
    )
  const note = describeOutcome(message)
  if (note === undefined) return null
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <p className="text-sm text-muted italic">{note}</p>
      {message.status !== 'complete' && <RegenerateButton message={message} />}
      {message.finish === 'length' && <ContinueButton last={message} />}
    </div>
  )
}

/** Sends the message again without the file that the provider refused. */
function WithoutFileButton({ message }: { readonly message: Message }) {
  const actions = use(MessageActionsContext)
  const refused = actions?.withoutRefusedFile(message)
  if (actions === undefined || refused === undefined) return null
  const { busy, resend } = actions
  return (
    <Button
      size="small"
      disabled={busy || resend === undefined}
      onClick={() => resend?.(refused.message, refused.content)}
    >
      Send again without it
    </Button>
  )
}

function RegenerateButton({ message }: { readonly message: Message }) {
  const actions = use(MessageActionsContext)
  if (actions === undefined) return null
  const { busy, regenerate } = actions
  return (
    <Button size="small" disabled={busy || regenerate === undefined} onClick={() => regenerate?.(message)}>
      <RefreshCw size={14} aria-hidden />
      Regenerate
    </Button>
  )
}

function describeOutcome({ status, finish }: Message): string | undefined {
  switch (status) {
    case 'stopped':
      return 'Stopped.'
    case 'interrupted':
      return 'Interrupted: the server could not finish this reply.'
    case 'complete':
      if (finish === undefined) return undefined
      return finish === 'length'
        ? 'Cut off at the length limit.'
        : 'Cut off by the content filter of the provider.'
    case 'failed':
    case 'streaming':
      return undefined
  }
}
