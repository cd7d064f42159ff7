import { z } from 'zod'
import { maxSummaryChars } from './lib/chat-limits.ts'

/**
 * A compaction: a summary that requests to models contain in place of the older messages of a path. The messages
 * themselves stay as they are.
 */
export const Compaction = z.object({
  id: z.string(),
  /** The last message that the summary replaces. The summary applies to every path through this message. */
  message_id: z.string(),
  /** How many messages the summary replaces, not counting the results of tools. */
  message_count: z.int(),
  content: z.string(),
  /** The bot and the model that wrote it. */
  bot: z.string(),
  model: z.string(),
  /** Whether the user has changed it. */
  edited: z.boolean(),
  /** When it was written or changed, ISO 8601, UTC. */
  time: z.string(),
  /** The time by which a request that rewrites it ends, ISO 8601, UTC. Ignored once it is past. */
  rewriting_until: z.string().optional(),
})
export type Compaction = z.infer<typeof Compaction>

/** The body of `PUT /api/chats/{id}/compactions/{compactionId}`, which changes the summary. */
export const CompactionInput = z.object({
  content: z
    .string()
    .max(maxSummaryChars)
    .refine((text) => text.trim() !== '', 'must not be empty'),
  /**
   * The `time` of the summary that the user has seen. If the summary has changed since, the update is refused.
   * Without it, the update is not checked.
   */
  time: z.iso.datetime().optional(),
})
export type CompactionInput = z.infer<typeof CompactionInput>

/** The body of `POST /api/chats/{id}/compactions/{compactionId}/rewrite`, which rewrites the summary. */
export const CompactionRewrite = z.object({ botName: z.string().min(1, 'no bot is selected').max(200) })
export type CompactionRewrite = z.infer<typeof CompactionRewrite>
