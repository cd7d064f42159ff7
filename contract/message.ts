import { z } from 'zod'
import { ErrorDetail } from './error.ts'
import { LeftOutTools, ToolCall, ToolOutcome } from './tool-call.ts'

/**
 * The status of a message. A reply is `streaming` while it is being written. Then it is `complete`, `stopped` by the
 * user, `failed` (see `error`), or `interrupted` because its server process could not finish it. A user's message is
 * always `complete`.
 */
export const messageStatuses = ['streaming', 'complete', 'stopped', 'failed', 'interrupted'] as const

/** Why a complete reply was cut: the output limit, or the provider's filter. */
export const cutReasons = ['length', 'content_filter'] as const
export type CutReason = (typeof cutReasons)[number]

/** A file that a message contains. `GET /api/files/{id}` returns its bytes. */
export const FileRef = z.object({
  id: z.string(),
  name: z.string(),
  /** Its media type. */
  type: z.string(),
  /** In bytes. */
  size: z.int().nonnegative(),
  /** Of a picture, in pixels. */
  width: z.int().positive().optional(),
  height: z.int().positive().optional(),
  /** What a picture shows, as the user has described it. */
  alt: z.string().optional(),
})
export type FileRef = z.infer<typeof FileRef>

const ContentPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('file'), file: FileRef }),
])
export type ContentPart = z.infer<typeof ContentPart>
/** What a message contains: its text, or a list of parts when there is more than text. */
export const MessageContent = z.union([z.string(), z.array(ContentPart)])
export type MessageContent = z.infer<typeof MessageContent>
/** Content as clients send it: its parts need no type. Of a file its id, name and description are read. */
export const SentContent = z.union([
  z.string(),
  z.array(
    z.object({
      type: z.string().optional(),
      text: z.string().optional(),
      file: FileRef.pick({ id: true, name: true, alt: true }).partial({ name: true }).optional(),
    }),
  ),
])
export type SentContent = z.infer<typeof SentContent>

export const Usage = z.object({
  input_tokens: z.int().nonnegative().nullable(),
  output_tokens: z.int().nonnegative().nullable(),
  /** The part of `input_tokens` that the provider read from its cache. */
  cached_tokens: z.int().nonnegative().nullish(),
  /** The part of `output_tokens` that was reasoning. */
  reasoning_tokens: z.int().nonnegative().nullish(),
})
export type Usage = z.infer<typeof Usage>

/** One node of a chat's tree. */
export const Message = z.object({
  id: z.string(),
  parent_id: z.string().nullable(),
  role: z.enum(['user', 'assistant']),
  /** The text. For a failed reply it is `**Error:** {message}`, and `partial` is the text so far. */
  content: MessageContent,
  partial: z.string().optional(),
  /** The model's reasoning, if it sent any. */
  reasoning: z.string().optional(),
  /** ISO 8601, UTC. */
  timestamp: z.string(),
  /** Milliseconds since 1970, strictly increasing within a chat; 0 when the time is unknown. */
  unix_timestamp: z.int(),
  status: z.enum(messageStatuses),
  error: ErrorDetail.optional(),
  /** Set on a complete reply that was cut. */
  finish: z.enum(cutReasons).optional(),
  model: z.string().optional(),
  provider: z.string().optional(),
  /** Today's name of the bot that replied; of a deleted bot, its name at that time. */
  bot: z.string().optional(),
  usage: Usage.optional(),
  /**
   * The connector of the tool call of an assistant message, named like `bot`. A user message with it is a tool's result.
   */
  server: z.string().optional(),
  tool: z.string().optional(),
  /** A JSON object as text, unless the model sent something else. */
  arguments: z.string().optional(),
  /** On an assistant message with a tool call. */
  call: ToolCall.optional(),
  /** On a tool's result; `content` is the text that the model reads. */
  outcome: ToolOutcome.optional(),
  /** A notice about the reply for the user, for example that its model does not support tools. */
  notice: z.string().optional(),
  /**
   * The tools that requests to the model leave out from this reply on. Absent on a reply for which the last value on
   * its path still applies.
   */
  left_out_tools: LeftOutTools.optional(),
  /** While older messages are being summarised for this reply: how many. It is not stored. */
  compacting: z.int().optional(),
  /**
   * When the user last switched to another version and this message became the end of the shown path, in milliseconds
   * since 1970.
   */
  selected_at: z.int().optional(),
})
export type Message = z.infer<typeof Message>
