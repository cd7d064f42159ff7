import { showFailure } from '@yonder/contract/apply-event'
import type { Chat, ChatRun } from '@yonder/contract/chat'
import type { Compaction } from '@yonder/contract/compaction'
import { errorCodes, type ErrorCode } from '@yonder/contract/error'
import { cutReasons, messageStatuses, Usage, type Message } from '@yonder/contract/message'
import { LeftOutTools, ToolOutcome } from '@yonder/contract/tool-call'
import type { Database, Db } from '../db/database.ts'
import { readSnapshot, type Snapshot } from '../db/read-snapshot.ts'
import type { ChatRow, CompactionRow, MessageRow } from '../db/tables/tables.ts'
import type { User } from '../identity/user.ts'
import { findBotOfChat, hasQueued, requireChatToRead } from './chat-store.ts'
import { listCompactions } from './compaction-store.ts'
import { presentPlace } from './list/present-listed-chat.ts'
import {
  contentOf,
  listConnectorNames,
  listPlaces,
  type MessagePlace,
  readMessages,
} from './message-store.ts'
import { presentCallOf } from './present-call.ts'

/** The active run of a chat, with the messages folded from its events. */
export interface RunSnapshot {
  readonly run: ChatRun
  readonly messages: readonly Message[]
}

/** Reads the active run of a chat. */
export interface RunReader {
  /**
   * Returns the run at the moment of the snapshot, or after it, if `fits` accepts the messages of that. Returns
   * `expired` for a run whose node died.
   */
  read(
    snapshot: Snapshot,
    chatId: string,
    fits: (messages: readonly Message[]) => boolean,
  ): Promise<RunSnapshot | 'expired' | undefined>
}

/** Reads the active runs of this product, and ends those whose node died. */
export interface ActiveRunReader extends RunReader {
  expire(chatId: string): Promise<void>
}

/** A chat whose messages are read in pages. */
export type ReadChat = Omit<Chat, 'messages'> & { readonly messages: AsyncIterable<readonly Message[]> }

/**
 * Returns a user's chat with the messages of its active run so far. Both are of one moment, so that a client that
 * follows the run from there receives each event exactly once. The texts of the other messages, of which there can be
 * megabytes and which do not change, are read with the pages of the result.
 * @throws AppError `not_found`
 */
export async function readChat(
  source: Pick<Database, 'db' | 'dialect' | 'bytes'>,
  runs: ActiveRunReader,
  user: User,
  chatId: string,
): Promise<ReadChat> {
  for (;;) {
    const chat = await readSnapshot(source, async (snapshot) => {
      const row = await requireChatToRead(snapshot.db, user, chatId)
      const read = await readChatAt(snapshot, row, { runs, user, pagesFrom: source.db })
      return read !== 'expired' && (await hasQueued(snapshot.db, chatId)) ? { ...read, queued: true } : read
    })
    if (chat !== 'expired') return chat
    await runs.expire(chatId)
  }
}

export interface ReadChatOptions {
  readonly runs: RunReader
  readonly user: User
  /** From where the texts of messages are read. */
  readonly pagesFrom: Db
}

/** Returns the same of a chat at the moment of a snapshot, or `expired` when the node of the chat's run died. */
export async function readChatAt(
  snapshot: Snapshot,
  chat: ChatRow,
  { runs, user, pagesFrom }: ReadChatOptions,
): Promise<ReadChat | 'expired'> {
  const { db } = snapshot
  const { id: chatId } = chat
  const places = await listPlaces(db, chatId)
  const run = await runs.read(snapshot, chatId, (messages) => fitsPlaces(messages, places))
  if (run === 'expired') return run
  const compactions = await listCompactions(db, chatId)
  const bot = chat.bot_id === null ? undefined : await findBotOfChat(db, user, chat.bot_id)
  return {
    id: chatId,
    ...(chat.title !== null && { title: chat.title }),
    ...presentPlace(chat),
    messages: presentMessages(pagesFrom, user, chatId, places, run),
    update_time: new Date(chat.updated_at).toISOString(),
    selected_message_id: chat.selected_message_id,
    run: run?.run ?? null,
    ...(bot !== undefined && { bot }),
    ...(compactions.length > 0 && { compactions: compactions.map(presentCompaction) }),
  }
}

/** Whether the last message of a run has the same state in the chat, and no message is below it. */
function fitsPlaces(messages: readonly Message[], places: readonly MessagePlace[]): boolean {
  const last = messages.at(-1)
  const place = places.findLast(({ id }) => id === last?.id)
  return (
    place !== undefined &&
    place.status === last?.status &&
    (place.call_state ?? undefined) === last.call?.state &&
    !places.some(({ parent_id }) => parent_id === place.id)
  )
}

/**
 * Presents the messages of a chat to its owner, in pages. Messages of the active run replace their rows, but for the
 * names in its events, which may have changed since.
 */
async function* presentMessages(
  db: Db,
  user: User,
  chatId: string,
  places: readonly MessagePlace[],
  snapshot: RunSnapshot | undefined,
): AsyncGenerator<readonly Message[]> {
  const runMessages = new Map(snapshot?.messages.map((message) => [message.id, message]))
  /** Today's names of connectors, by id. */
  let names: ReadonlyMap<string, string> | undefined
  for await (const rows of readMessages(db, chatId, places)) {
    if (rows.some((row) => row.left_out_tools !== null)) names ??= await listConnectorNames(db, user)
    const known = names ?? new Map<string, string>()
    yield rows.map((row) => {
      const { bot, server, left_out_tools, ...message } = presentMessage(row)
      return {
        ...(runMessages.get(row.id) ?? message),
        ...(bot !== undefined && { bot }),
        ...(server !== undefined && { server }),
        ...(left_out_tools !== undefined && { left_out_tools: renameConnectors(left_out_tools, known) }),
      }
    })
  }
}

function renameConnectors(
  { connectors, ...rest }: LeftOutTools,
  names: ReadonlyMap<string, string>,
): LeftOutTools {
  return {
    ...rest,
    connectors: connectors.map((connector) => ({
      ...connector,
      server: names.get(connector.connector_id) ?? connector.server,
    })),
  }
}

/** Presents the summary of older messages to the owner of the chat. */
export function presentCompaction(row: CompactionRow): Compaction {
  return {
    id: row.id,
    message_id: row.message_id,
    message_count: row.message_count,
    content: row.content,
    bot: row.bot,
    model: row.model,
    edited: row.edited === 1,
    time: new Date(row.written_at).toISOString(),
    ...(row.held_until !== null && { rewriting_until: new Date(row.held_until).toISOString() }),
  }
}

/** Presents a message to its owner. A failed reply shows its error, as in the reducer of the stream. */
export function presentMessage(row: MessageRow): Message {
  const message: Message = {
    id: row.id,
    parent_id: row.parent_id,
    role: row.role === 'assistant' ? 'assistant' : 'user',
    content: contentOf(row),
    timestamp: new Date(row.unix_timestamp).toISOString(),
    unix_timestamp: row.unix_timestamp,
    status: messageStatuses.find((status) => status === row.status) ?? 'interrupted',
    ...omitNulls({
      reasoning: row.reasoning,
      model: row.model,
      provider: row.provider,
      bot: row.bot,
      server: row.server,
      tool: row.tool,
      arguments: row.arguments,
      call: presentCallOf(row),
      outcome: row.outcome === null ? null : ToolOutcome.parse(JSON.parse(row.outcome)),
      notice: row.notice,
      left_out_tools: row.left_out_tools === null ? null : LeftOutTools.parse(JSON.parse(row.left_out_tools)),
      selected_at: row.selected_at,
      finish: cutReasons.find((reason) => reason === row.finish) ?? null,
      usage: row.usage === null ? null : Usage.parse(JSON.parse(row.usage)),
      error:
        row.error_code === null ? null : { code: codeOf(row.error_code), message: row.error_message ?? '' },
    }),
  }
  return message.status === 'failed' ? showFailure(message) : message
}

/** Omits the fields that are null: a chat may have thousands of messages, and most of their fields are null. */
function omitNulls<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  const filled: { [Name in keyof Fields]?: NonNullable<Fields[Name]> } = {}
  for (const name in fields) {
    const value = fields[name]
    if (value !== null) filled[name] = value as NonNullable<typeof value>
  }
  return filled
}

function codeOf(code: string): ErrorCode {
  return errorCodes.find((known) => known === code) ?? 'internal'
}
