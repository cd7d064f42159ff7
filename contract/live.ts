import { z } from 'zod'
import { ListedSummary } from './chat-list.ts'
import { RunEvent } from './completion.ts'
import { ErrorDetail } from './error.ts'

/** Identifies a run. `messageId` is the id of its first reply, as in `Chat.run`. */
const run = { chatId: z.string(), messageId: z.string() }

export const LiveRun = z.object({ ...run, seq: z.int().nonnegative() })
/** An active run. `seq` is the number of its last event before the stream began. */
export type LiveRun = z.infer<typeof LiveRun>

/**
 * The lists of a user that are read again after a change, and the names of bots and connectors, which chats contain. The
 * chats are named when many have changed at once.
 */
export const SettingsList = z.enum([
  'bots',
  'connectors',
  'integrations',
  'names',
  'projects',
  'chats',
  'grants',
  'notifications',
])
export type SettingsList = z.infer<typeof SettingsList>

/**
 * The lines of the live stream (`GET /api/live`): every event of every run of a user, and notifications of changed
 * chats and settings. Past events are not sent: a client that misses some reads the chat, which contains the run up to
 * `Chat.run.seq`. A client ignores lines of an unknown type, which a newer server may send.
 */
export const LiveEvent = z.discriminatedUnion('type', [
  /** The first line. After it, the stream contains every change, and every event after those of `runs`. */
  z.object({ type: z.literal('ready'), runs: z.array(LiveRun) }),
  /** An event of a run. An event may be sent twice, with the same `seq`. */
  z.object({ type: z.literal('run'), ...run, event: RunEvent }),
  /** The server can no longer store this run, for the reason in `error`, so the run will end as interrupted. */
  z.object({ type: z.literal('run_lost'), ...run, error: ErrorDetail }),
  /** A chat was created, or has changed for another reason than an event of a run. */
  z.object({ type: z.literal('chat_changed'), chatId: z.string() }),
  /**
   * What lists show of these chats, after any change. It may be newer than what was read since. `gone` has the ids of
   * chats that no longer exist.
   */
  z.object({ type: z.literal('chats_listed'), chats: z.array(ListedSummary), gone: z.array(z.string()) }),
  /** A list has changed. */
  z.object({ type: z.literal('changed'), what: SettingsList }),
  z.object({ type: z.literal('heartbeat') }),
])
export type LiveEvent = z.infer<typeof LiveEvent>
