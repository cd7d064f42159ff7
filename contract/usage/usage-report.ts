import { z } from 'zod'
import { ClientId } from '../chat.ts'
import { maxUsageMessages } from '../lib/chat-limits.ts'

/** Days that one request may cover: twelve whole months, and a part of another one. */
export const maxUsageDays = 400

/** An amount of money, exact: `{ currency: 'USD', amount: '0.004503' }`. */
export const Cost = z.object({
  /** ISO 4217. */
  currency: z.string(),
  /** A decimal number with up to nine decimals. */
  amount: z.string(),
})
export type Cost = z.infer<typeof Cost>

/** Sums over calls of models. Tokens that a provider did not report are not in them. */
export const UsageTotals = z.object({
  /** Calls of a model. A reply that uses tools takes several. */
  calls: z.int(),
  input_tokens: z.int(),
  /** Part of `input_tokens`. */
  cached_tokens: z.int(),
  output_tokens: z.int(),
  /** Part of `output_tokens`. */
  reasoning_tokens: z.int(),
  /** Calls whose provider did not report input or output. */
  uncounted_calls: z.int(),
  /** One for each currency. */
  costs: z.array(Cost),
  /** Calls whose cost is not known. They are missing in `costs`. */
  unpriced_calls: z.int(),
})
export type UsageTotals = z.infer<typeof UsageTotals>

const day = z.string().regex(/^\d{4}-\d\d-\d\d$/, 'must be a day such as 2026-11-24')

/** The query of `GET /api/usage` and `GET /api/usage.csv`. */
export const UsageQuery = z.object({
  /** The first and the last day. */
  from: day,
  to: day,
  /** An IANA name such as `Europe/Vienna`. */
  time_zone: z.string().min(1).max(100),
})
export type UsageQuery = z.infer<typeof UsageQuery>

/** The usage of a user in a range of days. Days, months and bots without a call are absent. */
export const UsageReport = z.object({
  from: z.string(),
  to: z.string(),
  time_zone: z.string(),
  total: UsageTotals,
  /** Oldest first. */
  days: z.array(UsageTotals.extend({ day: z.string() })),
  /** Oldest first. `month` is `2026-11`. */
  months: z.array(UsageTotals.extend({ month: z.string() })),
  /** By the name that a bot had at the time of the call; the one with the most calls first. */
  bots: z.array(UsageTotals.extend({ bot: z.string() })),
})
export type UsageReport = z.infer<typeof UsageReport>

/** The query of `GET /api/chats/{id}/usage`: the ids of replies or summaries, separated by commas. */
export const MessageUsageQuery = z.object({
  messageIds: z
    .string()
    .max(10_000)
    .transform((ids) => [...new Set(ids.split(',').filter((id) => id !== ''))])
    .pipe(z.array(ClientId).min(1, 'must name a message').max(maxUsageMessages)),
})

/** One call of a model. What is not known is null. */
export const ModelCallUsage = z.object({
  /** The reply that the model was called for or at which it wrote the title, or the summary that was rewritten at the user's request. */
  message_id: z.string(),
  /** The call wrote a reply, a summary of older messages, or the title of the chat. */
  kind: z.enum(['reply', 'summary', 'title']),
  bot: z.string(),
  model: z.string(),
  provider: z.string().nullable(),
  /** ISO 8601, UTC. */
  time: z.string(),
  input_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
  cached_tokens: z.int().nullable(),
  reasoning_tokens: z.int().nullable(),
  cost: Cost.nullable(),
  duration_ms: z.int().nullable(),
  /** Milliseconds until the first text, reasoning or tool call. */
  first_text_ms: z.int().nullable(),
})
export type ModelCallUsage = z.infer<typeof ModelCallUsage>

/** The calls of models that some replies or summaries took, oldest first, and their sum. */
export const MessageUsage = z.object({ calls: z.array(ModelCallUsage), total: UsageTotals })
export type MessageUsage = z.infer<typeof MessageUsage>
