import type { RunState } from '@yonder/contract/apply-event'
import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { touchChat } from '../../chats/chat-store.ts'
import { fillReply } from '../../chats/message-store.ts'
import type { FilledReply } from '../../chats/message-store.ts'
import type { Db } from '../../db/database.ts'
import { endRun } from '../log/run-store.ts'

/** Stores how a run ended together with its reply, as its events tell both; a run that was closed keeps its end. */
export async function closeRun(
  trx: Db,
  run: { readonly id: number; readonly chat_id: string },
  state: RunState,
  now: number,
): Promise<void> {
  const last = state.messages.at(-1)
  if (last === undefined) throw new Error(`run ${run.id} has no reply`)
  // The chat first, as for whoever writes into it: in another order each of the two would wait for the other.
  await touchChat(trx, run.chat_id, now)
  if (!(await endRun(trx, run.id, { status: state.status, lastSeq: state.seq, now }))) return
  // After a result the run may end without another reply.
  if (last.role === 'assistant') await fillReply(trx, run.chat_id, last.id, toFilledReply(last))
}

/** A folded reply as it is stored: the true text, of a failed one too. */
export function toFilledReply(reply: Message): FilledReply {
  return {
    content: reply.status === 'failed' ? (reply.partial ?? '') : textOfContent(reply.content),
    reasoning: reply.reasoning ?? null,
    status: reply.status,
    error_code: reply.error?.code ?? null,
    error_message: reply.error?.message ?? null,
    model: reply.model ?? null,
    provider: reply.provider ?? null,
    usage: reply.usage === undefined ? null : JSON.stringify(reply.usage),
    finish: reply.finish ?? null,
    server: reply.server ?? null,
    tool: reply.tool ?? null,
    arguments: reply.arguments ?? null,
    notice: reply.notice ?? null,
  }
}
