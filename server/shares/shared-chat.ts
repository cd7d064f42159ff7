import { showFailure } from '@yonder/contract/apply-event'
import type { Message, MessageContent } from '@yonder/contract/message'
import { filesOfContent, textOfContent, toContent } from '@yonder/contract/message-text'
import type { SharedChat } from '@yonder/contract/share'
import type { ToolCall, ToolCallState, ToolOutcome } from '@yonder/contract/tool-call'
import {
  contentOf,
  isToolResult,
  listWholePath,
  type MessagePlace,
  readMessages,
} from '../chats/message-store.ts'
import { presentMessage } from '../chats/present-chat.ts'
import { parseCall } from '../chats/tool-call-store.ts'
import type { Database, Db } from '../db/database.ts'
import { readSnapshot } from '../db/read-snapshot.ts'
import type { MessageRow, ShareRow } from '../db/tables/tables.ts'
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
  source: Pick<Database, 'db' | 'dialect' | 'bytes'>,
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
    messages: presentPath(source.db, share, path),
    update_time: new Date(last.unix_timestamp).toISOString(),
    selected_message_id: String(path.length),
  }
}

async function* presentPath(
  db: Db,
  { chat_id, files }: ShareRow,
  path: readonly MessagePlace[],
): AsyncGenerator<readonly Message[]> {
  let position = 0
  let deniedBy: string | undefined
  for await (const rows of readMessages(db, chat_id, path)) {
    yield rows.map((row) => {
      const message = presentSharedMessage(row, files === 1, ++position, path[position])
      const isReason = row.id === deniedBy
      deniedBy = deniedByOf(row)
      // What the user wrote for the model is private, like the result of a call, in whose place it is.
      return isReason ? { ...message, content: '' } : message
    })
  }
}

/** Returns the id of the message that denied only the call of this one. */
function deniedByOf({ call }: MessageRow): string | undefined {
  return call?.includes('"deniedBy":') === true ? parseCall(call).deniedBy : undefined
}

/** `next` is the place of the message after it. */
function presentSharedMessage(
  row: MessageRow,
  hasFiles: boolean,
  position: number,
  next: MessagePlace | undefined,
): Message {
  const shown = presentMessage({ ...row, error_code: null, error_message: null })
  const { role, timestamp, unix_timestamp, status, model, provider, finish, server, tool, call } = shown
  const message: Message = {
    id: String(position),
    parent_id: position === 1 ? null : String(position - 1),
    role,
    content: presentSharedContent(contentOf(row), hasFiles),
    timestamp,
    unix_timestamp,
    status,
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    ...(finish === undefined ? {} : { finish }),
    ...(server === undefined ? {} : { server }),
    ...(tool === undefined ? {} : { tool }),
    ...(call === undefined ? {} : { call: presentSharedCall(row, position, next) }),
  }
  // The result is private. The message only shows how the preceding call ended.
  if (role === 'user' && server !== undefined)
    return { ...message, content: '', ...(shown.outcome && { outcome: publicOutcome(shown.outcome) }) }
  // The real error message may contain an address or a key.
  if (status === 'failed') return showFailure({ ...message, error: failure })
  return message
}

/** With the position of the message that denied it, in which nothing is shown. */
function presentSharedCall(row: MessageRow, position: number, next: MessagePlace | undefined): ToolCall {
  const state = stateFrom(row, next)
  const isDeniedBy = next !== undefined && next.id === deniedByOf(row)
  return { state, ...(isDeniedBy && { denied_by: String(position + 1) }) }
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

/** Files that do not go along are named, and have no id. */
function presentSharedContent(content: MessageContent, hasFiles: boolean): MessageContent {
  const files = filesOfContent(content)
  if (hasFiles) return content
  return toContent(
    textOfContent(content),
    files.map(({ name, type, size }) => ({ id: '', name, type, size })),
  )
}

const failure = { code: 'internal', message: 'This reply failed.' } as const
