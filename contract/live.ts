import { z } from 'zod'
import { RunEvent } from './completion.ts'

/** Names the run that writes a reply: `messageId` is its first reply, as in `Chat.run`. */
const run = { chatId: z.string(), messageId: z.string() }

export const LiveRun = z.object({ ...run, seq: z.int().nonnegative() })
/** A run that is being written, and the last of its events that came before the stream. */
export type LiveRun = z.infer<typeof LiveRun>

/** The lists of a person's settings. */
export const SettingsList = z.enum(['bots', 'connectors', 'integrations'])
export type SettingsList = z.infer<typeof SettingsList>

/**
 * The lines of the live stream (`GET /api/live`): everything that is written into any chat of a person, wherever they
 * asked for it, and which of their settings have changed. It has no past: who comes, or comes back, reads what was missed
 * from where it stands. A line of an unknown type is from a newer server, and is passed over.
 */
export const LiveEvent = z.discriminatedUnion('type', [
  /** The first line. From here on every event after those of `runs` comes, and every change. */
  z.object({ type: z.literal('ready'), runs: z.array(LiveRun) }),
  /** An event of a run; one may come twice, its `seq` tells. */
  z.object({ type: z.literal('run'), ...run, event: RunEvent }),
  /** A chat was made, or reads differently now for another reason than an event of a run. */
  z.object({ type: z.literal('chat_changed'), chatId: z.string() }),
  /** A list of settings reads differently now. */
  z.object({ type: z.literal('changed'), what: SettingsList }),
  z.object({ type: z.literal('heartbeat') }),
])
export type LiveEvent = z.infer<typeof LiveEvent>
