import { z } from 'zod'
import { ErrorDetail } from './error.ts'
import { ToolCall, ToolOutcome } from './tool-call.ts'

/** How a message ended, or that it has not yet. A user's message is always `complete`. */
export const messageStatuses = ['streaming', 'complete', 'stopped', 'failed', 'interrupted'] as const
export type MessageStatus = (typeof messageStatuses)[number]

/** Why a complete reply may be shorter than the model meant it: its length limit, or its provider's filter. */
export const cutReasons = ['length', 'content_filter'] as const
export type CutReason = (typeof cutReasons)[number]

export const ContentPart = z.object({ type: z.string().optional(), text: z.string().optional() })
export const MessageContent = z.union([z.string(), z.array(ContentPart)])
export type MessageContent = z.infer<typeof MessageContent>

export const Usage = z.object({
  input_tokens: z.int().nonnegative().nullable(),
  output_tokens: z.int().nonnegative().nullable(),
})
export type Usage = z.infer<typeof Usage>

/** One node of a chat's tree (§3.5). */
export const Message = z.object({
  id: z.string(),
  parent_id: z.string().nullable(),
  role: z.enum(['user', 'assistant']),
  /** The text. Of a failed reply it is `**Error:** {message}` (§8.7) and what had come stands in `partial`. */
  content: MessageContent,
  partial: z.string().optional(),
  /** What the model sent as its thinking, when it sent any. */
  reasoning: z.string().optional(),
  /** ISO 8601, UTC. */
  timestamp: z.string(),
  /** Milliseconds since 1970, strictly increasing within a chat; 0 means that no time is known. */
  unix_timestamp: z.int(),
  status: z.enum(messageStatuses),
  error: ErrorDetail.optional(),
  /** Set on a complete reply that was cut. */
  finish: z.enum(cutReasons).optional(),
  model: z.string().optional(),
  provider: z.string().optional(),
  /** The bot that answered, so that a regenerate can offer the same one. */
  bot: z.string().optional(),
  usage: Usage.optional(),
  /** A tool call on an assistant message; on a user message `server` marks a tool's result (§3.10, §3.11). */
  server: z.string().optional(),
  tool: z.string().optional(),
  /** The text of a JSON object. */
  arguments: z.string().optional(),
  /** Of an assistant message with a tool call. */
  call: ToolCall.optional(),
  /** Of a tool's result; `content` is its text as the model reads it. */
  outcome: ToolOutcome.optional(),
  /** Something a person should know of this reply, that its model cannot use tools for example. */
  notice: z.string().optional(),
})
export type Message = z.infer<typeof Message>
