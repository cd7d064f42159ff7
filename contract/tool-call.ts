import { z } from 'zod'
import { Elicitation } from './elicitation.ts'
import { ResultPart, ToolChange, toolOutcomes } from './tool-result.ts'

/**
 * How a call of a reply stands. `waiting`: its person has to allow it; `running`: it was handed to the connector, at most
 * once; `answered`: its result follows as a message; `denied`: its person denied it, or wrote something else instead.
 */
export const toolCallStates = ['waiting', 'running', 'answered', 'denied'] as const
export type ToolCallState = (typeof toolCallStates)[number]

/** How far a running call says it is. */
export const ToolProgress = z.object({
  progress: z.number(),
  total: z.number().optional(),
  message: z.string().optional(),
})
export type ToolProgress = z.infer<typeof ToolProgress>

/** A question that a running call asks its person; it is answered by `POST /api/tool/answer`. */
export const ToolQuestion = Elicitation.extend({ id: z.string() })
export type ToolQuestion = z.infer<typeof ToolQuestion>

/** The state of the call that an assistant message makes (`server`, `tool` and `arguments` say which). */
export const ToolCall = z.object({
  state: z.enum(toolCallStates),
  /** The tool's name for people, as its server gives it. */
  title: z.string().optional(),
  /** Of a waiting call: in what the tool differs from the one that was allowed. */
  changes: z.array(ToolChange).optional(),
  /** Of a waiting call: the form of the tool that its person looks at. Who allows it always sends it along. */
  fingerprint: z.string().optional(),
  /** Of a running call. */
  progress: ToolProgress.optional(),
  question: ToolQuestion.optional(),
})
export type ToolCall = z.infer<typeof ToolCall>

/** What a tool's result says beside its text, on the user message that holds it. */
export const ToolOutcome = z.object({
  status: z.enum(toolOutcomes),
  /** Milliseconds, without the time in which a person was asked; null when nobody knows. */
  duration: z.int().nonnegative().nullable(),
  parts: z.array(ResultPart),
})
export type ToolOutcome = z.infer<typeof ToolOutcome>
