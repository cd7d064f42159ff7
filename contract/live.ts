import { z } from 'zod'
import { RunEvent } from './completion.ts'

/** Identifies a run: `messageId` is its first reply, as in `Chat.run`. */
const run = { chatId: z.string(), messageId: z.string() }

export const LiveRun = z.object({ ...run, seq: z.int().nonnegative() })
/** An active run, and the last of its events before the stream began. */
export type LiveRun = z.infer<typeof LiveRun>

/** The lists in a user's settings. */
export const SettingsList = z.enum(['bots', 'connectors', 'integrations'])
export type SettingsList = z.infer<typeof SettingsList>

/**
 * The lines of the live stream (`GET /api/live`): every event of every run of a user, whichever node or page
 * started it, and which of the user's settings have changed. Past events are not sent: each time a client connects, it
 * loads the chats and settings to catch up. A client ignores a line of an unknown type, which a newer server sent.
 */
export const LiveEvent = z.discriminatedUnion('type', [
  /** The first line. From here on the stream carries every change, and every event after those of `runs`. */
  z.object({ type: z.literal('ready'), runs: z.array(LiveRun) }),
  /** An event of a run. An event may be sent twice, with the same `seq`. */
  z.object({ type: z.literal('run'), ...run, event: RunEvent }),
  /** A chat was created, or has changed for another reason than an event of a run. */
  z.object({ type: z.literal('chat_changed'), chatId: z.string() }),
  /** A list of settings has changed. */
  z.object({ type: z.literal('changed'), what: SettingsList }),
  z.object({ type: z.literal('heartbeat') }),
])
export type LiveEvent = z.infer<typeof LiveEvent>
