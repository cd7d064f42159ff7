import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { Fragment, use } from 'react'
import { BranchControl } from './branch-control.tsx'
import { MessageActionsContext } from './message-context.ts'
import { MessageMeta } from './message-meta.tsx'
import { ReplyPart } from './reply-part.tsx'

export interface ReplyMessageProps {
  /** The replies of the turn before the last one; they do not change any more. */
  readonly earlier: readonly Message[]
  readonly last: Message
  /** Whether the turn is still being written, including the time between a tool call and the reply after it. */
  readonly isWriting: boolean
}

/** The replies of a turn, shown as one message (§13.5). */
export function ReplyMessage({ earlier, last, isWriting }: ReplyMessageProps) {
  const replies = [...earlier, last]
  const writing = isWriting || last.status === 'streaming'
  return (
    <article
      aria-label={last.bot ?? last.model ?? 'Reply'}
      aria-busy={writing || undefined}
      // Consecutive tool calls have less space between them.
      className="group/message flex flex-col gap-2 [&>section+section]:-mt-2.5"
    >
      {replies.map((reply) => (
        <Fragment key={reply.parent_id}>
          <ReplyPart message={reply} />
          {reply !== last && <EarlierVersions reply={reply} />}
        </Fragment>
      ))}
      {writing ? (
        <div className="min-h-8" />
      ) : (
        <MessageMeta message={last} text={joinTexts(replies)} align="start" />
      )}
    </article>
  )
}

/** The version buttons of a reply in the middle of a turn; everything else is in the line under the turn. */
function EarlierVersions({ reply }: { readonly reply: Message }) {
  const actions = use(MessageActionsContext)
  const siblings = actions?.siblingsOf(reply)
  if (actions === undefined || siblings === undefined || siblings.ids.length < 2) return null
  return (
    <div className="flex text-xs text-muted tabular-nums">
      <BranchControl siblings={siblings} disabled={actions.busy} onSelect={actions.select} />
    </div>
  )
}

/** Joins the texts of a turn, which are copied as one (§13.5). */
function joinTexts(replies: readonly Message[]): string {
  return replies
    .map(({ content }) => textOfContent(content))
    .filter((text) => text !== '')
    .join('\n\n')
}
