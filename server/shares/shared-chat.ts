import { showFailure } from '@yonder/contract/apply-event'
import type { Message } from '@yonder/contract/message'
import { writeContent } from '@yonder/contract/message-text'
import type { SharedChat } from '@yonder/contract/share'
import type { ToolCallState, ToolOutcome } from '@yonder/contract/tool-call'
import {
  contentOf,
  isToolResult,
  listWholePath,
  type MessagePlace,
  readMessages,
} from '../chats/message-store.ts'
import { presentMessage } from '../chats/present-chat.ts'
import type { Database, Db } from '../db/database.ts'
import { readSnapshot } from '../db/read-snapshot.ts'
import type { MessageRow } from '../db/tables/tables.ts'
import { AppError } from '../lib/app-error.ts'
import { findShare } from './share-store.ts'

/** A shared chat whose messages are read in pages. */
export type ReadSharedChat = Omit<SharedChat, 'messages'> & {
  readonly messages: AsyncIterable<readonly Message[]>
}

/**
 * Returns a shared chat for the public. A revoked link is deleted, so it fails in the same way, and after the
 * same time, as a link that never existed. The ids are positions on the path and `update_time` is that of the last
 * message, so the result does not identify the chat and does not change when the chat continues. Of a message, only the
 * fields that `presentSharedMessage` lists are public. The texts are read with the pages of the result.
 * @throws AppError `not_found`
 */
export async function readSharedChat(
  source: Pick<Database, 'db' | 'dialect'>,
  shareId: string,
): Promise<ReadSharedChat> {
  const { share, path } = await readSnapshot(source, async ({ db }) => {
    const found = await findShare(db, shareId)
    return {
      share: found,
      path: found === undefined ? [] : await listWholePath(db, found.chat_id, found.message_id),
    }
  })
  const last = path.at(-1)
  if (share === undefined || last === undefined)
    throw new AppError('not_found', 'There is no such shared chat.')
  return {
    id: shareId,
    messages: presentPath(source.db, share.chat_id, path),
    update_time: new Date(last.unix_timestamp).toISOString(),
    selected_message_id: String(path.length),
  }
}

async function* presentPath(
  db: Db,
  chatId: string,
  path: readonly MessagePlace[],
): AsyncGenerator<readonly Message[]> {
  let position = 0
  for await (const rows of readMessages(db, chatId, path)) {
    yield rows.map((row) => presentSharedMessage(row, ++position, path[position]))
  }
}

/** `next` is the place of the message after it. */
function presentSharedMessage(row: MessageRow, position: number, next: MessagePlace | undefined): Message {
  const shown = presentMessage({ ...row, error_code: null, error_message: null })
  const { role, timestamp, unix_timestamp, status, model, provider, finish, server, tool, call } = shown
  const message: Message = {
    id: String(position),
    parent_id: position === 1 ? null : String(position - 1),
    role,
    content: writeContent(contentOf(row), () => privateFile),
    timestamp,
    unix_timestamp,
    status,
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    ...(finish === undefined ? {} : { finish }),
    ...(server === undefined ? {} : { server }),
    ...(tool === undefined ? {} : { tool }),
    ...(call === undefined ? {} : { call: { state: stateFrom(row, next) } }),
  }
  // The result is private. The message only shows how the preceding call ended.
  if (role === 'user' && server !== undefined)
    return { ...message, content: '', ...(shown.outcome && { outcome: publicOutcome(shown.outcome) }) }
  // The real error message may contain an address or a key.
  if (status === 'failed') return showFailure({ ...message, error: failure })
  return message
}

/**
 * Returns the state of a call as far as the path shows it. At the end of the path this is `waiting`, also when the call
 * was answered later: a shared chat does not change.
 */
function stateFrom({ call_state }: MessageRow, next: MessagePlace | undefined): ToolCallState {
  if (next === undefined) return 'waiting'
  // A call whose result is on another branch was answered; any other call was denied by the message that follows.
  return isToolResult(next) || call_state === 'answered' ? 'answered' : 'denied'
}

/** Returns how a call ended, without the result. An error of the tool or its authorization is shown as `failed`. */
function publicOutcome({ status }: ToolOutcome): ToolOutcome {
  const isPrivate = status === 'tool_error' || status === 'authorization_needed'
  return { status: isPrivate ? 'failed' : status, duration: null, parts: [] }
}

/** Files are private, and so are their names. */
const privateFile = '[A file that is not part of the shared chat]'
const failure = { code: 'internal', message: 'This reply failed.' } as const
