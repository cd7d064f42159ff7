import type { Message } from '@yonder/contract/message'
import { countChars, filesOfContent, toContent } from '@yonder/contract/message-text'
import type { ResultPart } from '@yonder/contract/tool-call'
import { selectLeaf, touchChat } from '../../chats/chat-store.ts'
import { appendMessage, requireParent, toContentColumns, updateMessage } from '../../chats/message-store.ts'
import type { ToolOutcome } from '../../connectors/calls/tool-call.ts'
import type { Db } from '../../db/database.ts'
import { linkFiles } from '../../files/file-store.ts'
import { newId } from '../../lib/new-id.ts'
import type { ToolInvocation } from '../run.ts'
import type { StoredPart } from './store-result-files.ts'

/** Characters of a result that are shown to the user. The model may receive more. */
const maxShownChars = 50_000
/** Notes at the end of a result that say what is missing of it, and are always shown. */
const maxOmissions = 3

/** A tool's result as a message. */
export interface CreatedResult {
  readonly message: Message
  readonly connectorId: string | null
}

/** Creates the message with the result of a reply's call. `time` is milliseconds since 1970. */
export function createResult(
  call: Pick<ToolInvocation, 'replyId' | 'connectorId' | 'connectorName' | 'toolName'>,
  outcome: Omit<ToolOutcome, 'duration' | 'bytes' | 'parts'> & {
    readonly duration: number | null
    readonly parts: readonly StoredPart[]
  },
  time: number,
): CreatedResult {
  const files = outcome.parts.flatMap((part) => ('ref' in part ? [part.ref] : []))
  return {
    connectorId: call.connectorId,
    message: {
      id: newId(),
      parent_id: call.replyId,
      role: 'user',
      // The same file twice is one file of the message.
      content: toContent(outcome.text, [...new Map(files.map((file) => [file.id, file])).values()]),
      timestamp: new Date(time).toISOString(),
      unix_timestamp: time,
      status: 'complete',
      server: call.connectorName,
      tool: call.toolName,
      outcome: {
        status: outcome.status,
        duration: outcome.duration === null ? null : Math.round(outcome.duration),
        parts: shorten(outcome.parts),
        ...(outcome.blocked && { blocked: true }),
      },
    },
  }
}

/** Shortens the parts that a user sees. */
function shorten(parts: readonly StoredPart[]): ResultPart[] {
  let remaining = maxShownChars
  return parts.map((part, index): ResultPart => {
    if (part.type === 'note' && index >= parts.length - maxOmissions) return part
    if ('ref' in part) {
      const { id: file, width, height } = part.ref
      if (part.type !== 'image') return { type: part.type, file }
      return {
        type: part.type,
        file,
        ...(width !== undefined && { width }),
        ...(height !== undefined && { height }),
      }
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
  { message, connectorId }: CreatedResult,
): Promise<void> {
  const replyId = message.parent_id ?? ''
  const { id, unix_timestamp: time, server = '', tool = '', outcome } = message
  // Locks the chat before its messages: two writers that lock in different orders would deadlock.
  await touchChat(trx, chatId, time, countChars(message))
  await appendMessage(
    trx,
    {
      chat_id: chatId,
      id,
      role: 'user',
      ...toContentColumns(message.content),
      status: 'complete',
      connector_id: connectorId,
      server,
      tool,
      outcome: JSON.stringify(outcome),
    },
    await requireParent(trx, chatId, replyId),
    time,
  )
  await linkFiles(
    trx,
    chatId,
    id,
    filesOfContent(message.content).map((file) => file.id),
  )
  await updateMessage(trx, chatId, replyId, { call_state: 'answered' })
  await selectLeaf(trx, chatId, id)
}
