import { z } from 'zod'
import { reasoningEfforts } from './bot.ts'

/** One message of a prompt, as the model was given it. */
export const SentMessage = z.object({
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.string(),
  /** The calls that an assistant message makes. */
  tool_calls: z.array(z.object({ name: z.string(), arguments: z.string() })).optional(),
  /** The tool of a result. */
  name: z.string().optional(),
})
export type SentMessage = z.infer<typeof SentMessage>

/** A tool that the model was offered. */
export const SentTool = z.object({
  name: z.string(),
  description: z.string(),
  /** JSON Schema as text. */
  schema: z.string(),
})
export type SentTool = z.infer<typeof SentTool>

/** What the model was given for a reply: the last request that was sent for it. */
export const SentPrompt = z.object({
  /** The model's name at its provider. */
  model: z.string(),
  /** When it was sent, ISO 8601, UTC. */
  time: z.string(),
  max_tokens: z.int().nullable(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  reasoning_effort: z.enum(reasoningEfforts).optional(),
  /** Null when there were none, or when they are no longer stored. */
  instructions: z.string().nullable(),
  /** Oldest first. The first one begins with the summary of older messages, if there is one. */
  messages: z.array(SentMessage),
  /** Empty when no tools were offered, or when they are no longer stored. */
  tools: z.array(SentTool),
  /** Which parts are no longer stored, because only the texts that the user's latest prompts used are kept. */
  missing: z.array(z.enum(['instructions', 'tools', 'summary'])),
})
export type SentPrompt = z.infer<typeof SentPrompt>
