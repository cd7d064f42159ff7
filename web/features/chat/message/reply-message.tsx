import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { Fragment, use } from 'react'
import { BranchControl } from './branch-control.tsx'
import type { MessageGroup } from '../list/group-messages.ts'
import type { ChatSession } from '../session/chat-session.ts'
import { MessageActionsContext } from './message-actions.ts'
import { MessageMeta } from './message-meta.tsx'
import { ReplyPart } from './reply-part.tsx'
import { useLiveMessage } from './use-live-message.ts'

export interface ReplyMessageProps {
  readonly replies: MessageGroup
  readonly session: ChatSession | undefined
}

/** The replies of a turn as one, without a frame: the text is what matters. Only the last one still changes. */
export function ReplyMessage({ replies, session }: ReplyMessageProps) {
  const last = useLiveMessage(replies.at(-1) ?? replies[0], session)
  const shown = [...replies.slice(0, -1), last]
  // Between a call and what follows no reply is streaming, and the turn goes on all the same.
  const writing = session !== undefined || last.status === 'streaming'
  return (
    <article
      aria-label={last.bot ?? last.model ?? 'Reply'}
      aria-busy={writing || undefined}
      // Calls in a row stand together.
      className="group/message flex flex-col gap-2 [&>section+section]:-mt-2.5"
    >
      {shown.map((reply) => (
        <Fragment key={reply.parent_id}>
          <ReplyPart message={reply} />
          {reply !== last && <EarlierVersions reply={reply} />}
        </Fragment>
      ))}
      {writing ? (
        <div className="min-h-8" />
      ) : (
        <MessageMeta message={last} text={joinTexts(shown)} align="start" />
      )}
    </article>
  )
}

/** Of a reply in the middle of a turn only its versions, where there are any: the line under the turn says the rest. */
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

/** What reads as one text is copied as one. */
function joinTexts(replies: readonly Message[]): string {
  return replies
    .map(({ content }) => textOfContent(content))
    .filter((text) => text !== '')
    .join('\n\n')
}
