import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import type { ResultPart } from '@yonder/contract/tool-call'
import { selectLeaf, touchChat } from '../../chats/chat-store.ts'
import { appendMessage, countChars, requireParent, updateMessage } from '../../chats/message-store.ts'
import { insertResultImages } from '../../chats/tool-call-store.ts'
import { failure, type ToolOutcome } from '../../connectors/calls/tool-call.ts'
import type { Db } from '../../db/database.ts'
import { newId } from '../../lib/new-id.ts'
import type { ToolInvocation } from './tool-invocation.ts'

/** Characters of a result that are shown to the user. The model may receive more. */
const maxShownChars = 50_000

/** A tool's result as a message, and its images, which are stored separately from the message. */
export interface CreatedResult {
  readonly message: Message
  readonly connectorId: string | null
  readonly images: readonly { readonly place: number; readonly mimeType: string; readonly data: string }[]
}

/** Creates the message with the result of a reply's call. `time` is milliseconds since 1970. */
export function createResult(
  call: Pick<ToolInvocation, 'replyId' | 'connectorId' | 'connectorName' | 'toolName'>,
  outcome: Omit<ToolOutcome, 'duration' | 'bytes'> & { readonly duration: number | null },
  time: number,
): CreatedResult {
  const images = outcome.parts.flatMap((part, place) =>
    part.type === 'image' ? [{ place, mimeType: part.mimeType, data: part.data }] : [],
  )
  return {
    connectorId: call.connectorId,
    message: {
      id: newId(),
      parent_id: call.replyId,
      role: 'user',
      content: outcome.text,
      timestamp: new Date(time).toISOString(),
      unix_timestamp: time,
      status: 'complete',
      server: call.connectorName,
      tool: call.toolName,
      outcome: {
        status: outcome.status,
        duration: outcome.duration === null ? null : Math.round(outcome.duration),
        parts: shorten(outcome.parts),
      },
    },
    images,
  }
}

function shorten(parts: ToolOutcome['parts']): ResultPart[] {
  let remaining = maxShownChars
  return parts.map((part): ResultPart => {
    if (part.type === 'image') {
      const { type, mimeType, width, height } = part
      return { type, mimeType, width, height }
    }
    if (part.type === 'link') {
      remaining -= part.uri.length + part.name.length
      return remaining < 0
        ? { type: 'note', text: 'This link is not shown, because the result is too long.' }
        : part
    }
    const text = part.text.slice(0, Math.max(0, remaining)).toWellFormed()
    remaining -= text.length
    if (text.length === part.text.length) return part
    const left = (part.text.length - text.length).toLocaleString('en')
    return text === ''
      ? { type: 'note', text: `${left} characters are not shown.` }
      : { ...part, text: `${text}\n[${left} further characters are not shown.]` }
  })
}

/** Stores a result under the reply that made the call, and selects it. */
export async function storeResult(
  trx: Db,
  chatId: string,
  { message, connectorId, images }: CreatedResult,
): Promise<void> {
  const replyId = message.parent_id ?? ''
  const { id, unix_timestamp: time, content, server = '', tool = '', outcome } = message
  // Locks the chat before its messages: two writers that lock in different orders would deadlock.
  await touchChat(trx, chatId, time, countChars(message))
  await appendMessage(
    trx,
    {
      chat_id: chatId,
      id,
      role: 'user',
      content: textOfContent(content),
      status: 'complete',
      connector_id: connectorId,
      server,
      tool,
      outcome: JSON.stringify(outcome),
    },
    await requireParent(trx, chatId, replyId),
    time,
  )
  await insertResultImages(trx, chatId, id, images)
  await updateMessage(trx, chatId, replyId, { call_state: 'answered' })
  await selectLeaf(trx, chatId, id)
}

/** Creates the outcome of a call during which the process that made it shut down or died. */
export function interruptedOutcome(): ToolOutcome {
  return failure('Yonder shut down during the call. The tool may or may not have finished.', {
    status: 'interrupted',
  })
}
