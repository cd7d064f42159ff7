import { z } from 'zod'
import { Elicitation } from './elicitation.ts'

export { callExpiryMs, maxReasonChars } from './lib/call-limits.ts'

/**
 * The states of a tool call. `waiting`: it needs approval. `running`: it needs none, and has no result yet; it is sent
 * to the connector at most once. `answered`: its result is the next message. `denied`: the user denied it, or sent
 * another message instead.
 */
export const toolCallStates = ['waiting', 'running', 'answered', 'denied'] as const
export type ToolCallState = (typeof toolCallStates)[number]

/** The progress that a running call reports. */
export const ToolProgress = z.object({
  /** Absent when the server sent no usable number. */
  progress: z.number().nonnegative().optional(),
  total: z.number().optional(),
  message: z.string().optional(),
})
export type ToolProgress = z.infer<typeof ToolProgress>

/** An elicitation of a running call; the API calls it a question. The user answers it with `POST /api/tool/answer`. */
export const ToolQuestion = Elicitation.extend({ id: z.string() })
export type ToolQuestion = z.infer<typeof ToolQuestion>

/** What the annotations of a tool say that it does. A tool whose server says nothing has none. */
export const toolEffects = ['read', 'write', 'destructive'] as const
export type ToolEffect = (typeof toolEffects)[number]

/**
 * Why a call ran or did not: the user approved it once, its tool is on the list of allowed ones, a grant with limits
 * allowed it, or its connector has no such list. Or the user denied it, or did not decide in time (`callExpiryMs`).
 */
export const approvals = ['once', 'listed', 'granted', 'no_list', 'denied', 'expired'] as const
export type Approval = (typeof approvals)[number]

/** How far a grant goes. A field that is absent does not limit it. */
export const GrantLimits = z.object({
  /** The only bot, by name, whose calls are allowed; null when that bot was deleted, so that nothing is. */
  bot: z.string().nullish(),
  /** The id of the only chat. */
  chat_id: z.string().optional(),
  /** ISO 8601, UTC: until when. */
  ends_at: z.string().optional(),
  /** What an argument must be: a text at the top level of the arguments that is equal to `value`, or begins with it. */
  rule: z
    .object({
      argument: z.string().min(1).max(200),
      test: z.enum(['equals', 'begins']),
      value: z.string().min(1).max(2000),
    })
    .optional(),
})
export type GrantLimits = z.infer<typeof GrantLimits>

/** How a call was decided. */
export const CallDecision = z.object({
  kind: z.enum(approvals),
  /** Milliseconds since 1970. */
  at: z.int(),
  /** The browser and system where the user decided, such as 'Chrome on Android'. Absent when no user decided. */
  on: z.string().optional(),
  /** What the user wrote for the model when denying the call. */
  reason: z.string().optional(),
  /** Only with `granted`. */
  grant: GrantLimits.optional(),
})
export type CallDecision = z.infer<typeof CallDecision>

/** One difference between a tool and the version that was approved. A missing value is null. */
export const ToolChange = z.object({
  what: z.enum(['title', 'description', 'input', 'output', 'annotations', 'other']),
  before: z.string().nullable(),
  after: z.string().nullable(),
})
export type ToolChange = z.infer<typeof ToolChange>

/** The most later calls of a step that a waiting call lists. */
export const maxStepCalls = 20

/** A call of the same step that comes after a waiting one, and that can be decided already. */
export const StepCall = z.object({
  /** The model's id of the call, unique in its step. */
  id: z.string(),
  server: z.string(),
  tool: z.string(),
  title: z.string().optional(),
  arguments: z.string(),
  effect: z.enum(toolEffects).optional(),
  /** Whether it needs approval. Otherwise it will run, or fail, without. */
  asks: z.boolean(),
  changes: z.array(ToolChange).optional(),
  fingerprint: z.string().optional(),
  credential: z.string().optional(),
  /** The operator lets its tool always ask, so only 'once' is possible. */
  always_asks: z.literal(true).optional(),
  /** What the user has decided. It is carried out when the calls before it have ended. */
  decided: z
    .object({ allow: z.boolean(), edited: z.string().optional(), reason: z.string().optional(), at: z.int() })
    .optional(),
})
export type StepCall = z.infer<typeof StepCall>

/**
 * The state of the call that an assistant message makes; `server`, `tool` and `arguments` of the message name the call.
 */
export const ToolCall = z.object({
  state: z.enum(toolCallStates),
  /** The tool's display name, as its server sends it. */
  title: z.string().optional(),
  /**
   * The place of this call, from 1, among the calls that the model made at once. Absent if it made only one.
   */
  place: z.object({ index: z.int().positive(), total: z.int().positive() }).optional(),
  /** The call was made elsewhere and imported: it never runs here, and models are not given it. */
  imported: z.literal(true).optional(),
  /** Only on a waiting call: how the tool differs from the version that was approved. */
  changes: z.array(ToolChange).optional(),
  /** Only on a waiting call: the version of the tool that the user sees. 'Allow Always' sends it back. */
  fingerprint: z.string().optional(),
  /** Only on a waiting call: identifies the connector and its credential. 'Allow Always' sends it back. */
  credential: z.string().optional(),
  /** Only on a waiting call: since when it waits, in milliseconds since 1970. It expires `callExpiryMs` later. */
  asked_at: z.int().optional(),
  /** Only on a waiting call: what its server says that the tool does. */
  effect: z.enum(toolEffects).optional(),
  /** Only on a waiting call: the operator lets this tool always ask, so only 'once' is possible. */
  always_asks: z.literal(true).optional(),
  /** Only on a waiting call: the later calls of its step, as far as they are listed (`maxStepCalls`). */
  step: z.array(StepCall).optional(),
  /** How it was decided. Absent while it waits, and on calls of earlier versions. */
  decision: CallDecision.optional(),
  /** The arguments as JSON text with which the user allowed the call, in place of those that the model proposed. */
  edited: z.string().optional(),
  /** The message that denied only this call. It is shown at the call and not by itself. */
  denied_by: z.string().optional(),
  /** Only on a running call: since when, in milliseconds since 1970. */
  running_since: z.number().optional(),
  /** Only on a running call, like `question`. */
  progress: ToolProgress.optional(),
  question: ToolQuestion.optional(),
})
export type ToolCall = z.infer<typeof ToolCall>

/** A part of a tool's result as the user sees it. Its texts are plain text and must be shown as such. */
export const ResultPart = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('text'),
    text: z.string(),
    /** Its server marked it as text for the model only. */
    forModel: z.literal(true).optional(),
  }),
  /** A PNG, JPEG, GIF or WebP image: `file` is the id of a file of the message's content. */
  z.object({
    type: z.literal('image'),
    file: z.string(),
    /** The size in pixels, so that a page can reserve the space. */
    width: z.int().positive().optional(),
    height: z.int().positive().optional(),
  }),
  /** A recording and any other file, also ids of files of the message's content. */
  z.object({ type: z.literal('audio'), file: z.string() }),
  z.object({ type: z.literal('file'), file: z.string() }),
  /** A link, opened only when the user clicks it. */
  z.object({ type: z.literal('link'), uri: z.string(), name: z.string() }),
  /** Indented JSON. */
  z.object({ type: z.literal('json'), text: z.string() }),
  /** A note about what was omitted from the result, and why. */
  z.object({ type: z.literal('note'), text: z.string() }),
])
export type ResultPart = z.infer<typeof ResultPart>

/**
 * How a call ended. After `timed_out`, `stopped`, `interrupted` (Yonder's process ended, or the connection to the
 * tool's server broke) or a `failed` call that had started, the tool may or may not have finished, so it is never
 * called again automatically. After `authorization_needed` the user has to connect the connector again.
 */
export const toolOutcomes = [
  'done',
  'tool_error',
  'failed',
  'timed_out',
  'stopped',
  'denied',
  'authorization_needed',
  'interrupted',
] as const
export type ToolOutcomeStatus = (typeof toolOutcomes)[number]

/** The outcome of a call, on the user message that contains its result. */
export const ToolOutcome = z.object({
  status: z.enum(toolOutcomes),
  /** Milliseconds, excluding the time spent waiting for the user; null when it was not measured. */
  duration: z.int().nonnegative().nullable(),
  parts: z.array(ResultPart),
  /** Only with `failed`: the tool was not called, because the user or the operator has blocked it. */
  blocked: z.literal(true).optional(),
})
export type ToolOutcome = z.infer<typeof ToolOutcome>

/** Names of left-out tools that are kept for each connector. */
export const maxNamedTools = 10

/**
 * The tools that requests to a model leave out, because the tools of all connectors exceed what one request may have.
 * An empty list of connectors means that tools were left out before and none is any more.
 */
export const LeftOutTools = z.object({
  /** The number of tools that a request may have, if it was reached. */
  max_tools: z.int().positive().optional(),
  /** The characters that the tools of a request may have in total, if they were reached. */
  max_chars: z.int().positive().optional(),
  /** How many tools a request offers, and how many it would offer without the limits. Absent if none is left out. */
  offered: z.int().nonnegative().optional(),
  total: z.int().positive().optional(),
  connectors: z.array(
    z.object({
      connector_id: z.string(),
      /** The name of the connector. */
      server: z.string(),
      count: z.int().positive(),
      /** The names of the first of these tools. */
      tools: z.array(z.string()),
    }),
  ),
})
export type LeftOutTools = z.infer<typeof LeftOutTools>
