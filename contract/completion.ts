import { z } from 'zod'
import { ClientId } from './chat.ts'
import { ErrorDetail } from './error.ts'
import { ElicitationAnswer } from './elicitation.ts'
import { cutReasons, Message, MessageContent, Usage } from './message.ts'
import { ToolCall, ToolProgress, ToolQuestion } from './tool-call.ts'

const botName = z.string().min(1, 'no bot is selected').max(200)

/**
 * A new message (§7.11). With `server` it is the continuation after a tool's result: the stored result is used, whatever
 * the content says, and a result is continued once only.
 */
export const SendRequest = z.object({
  chatId: ClientId,
  botName,
  content: MessageContent,
  server: z.string().max(200).nullish(),
  /** Made by the client. The same id with the same content is the same message; with other content it is a conflict. */
  id: ClientId.optional(),
  /** The parent of the new message: absent means the selected leaf, null the root of the chat. */
  parentId: ClientId.nullish(),
})
export type SendRequest = z.infer<typeof SendRequest>

/** Another reply to a user message (§7.11). */
export const RegenerateRequest = z.object({ chatId: ClientId, botName, userMessageId: ClientId })
export type RegenerateRequest = z.infer<typeof RegenerateRequest>

/**
 * Approves the pending call of a reply (§7.12). Without `messageId` it means the newest one with this connector, tool and
 * arguments. `args` is an object or its JSON text.
 */
export const ToolConfirm = z.object({
  botName,
  server: z.string().min(1).max(200),
  tool: z.string().min(1).max(200),
  args: z.union([z.record(z.string(), z.unknown()), z.string()]).nullish(),
  chatId: ClientId.optional(),
  messageId: ClientId.optional(),
})
export type ToolConfirm = z.infer<typeof ToolConfirm>

/** The answer to the elicitation of a running call (`POST /api/tool/answer`). */
export const ToolAnswer = z.object({
  chatId: ClientId,
  messageId: ClientId,
  questionId: ClientId,
  answer: ElicitationAnswer,
})
export type ToolAnswer = z.infer<typeof ToolAnswer>

/** The answer was passed to the call. An answer that does not match the form, or comes too late, is refused. */
export const ToolAnswered = z.object({ answered: z.literal(true) })
export type ToolAnswered = z.infer<typeof ToolAnswered>

export const CompletionRequest = z.union([RegenerateRequest, SendRequest])
export type CompletionRequest = z.infer<typeof CompletionRequest>

/**
 * Following a run (`GET /api/chat/{id}/stream`): every event after `after`, which may also come as the header
 * `Last-Event-ID`. With `messageId` only the run that writes this reply is followed.
 */
export const FollowQuery = z.object({
  after: z.coerce.number().int().min(0).optional(),
  messageId: ClientId.optional(),
})
export type FollowQuery = z.infer<typeof FollowQuery>

const seq = z.int().nonnegative()

/**
 * The events of a run, which are also the `data:` lines of its stream (§7.30). Each carries the fields of the
 * specification (`choices[0].delta.content`, `error.message`, `model`, `role`) and a `type` to switch on. `seq` starts at
 * 1 and has no gaps; a heartbeat has no `seq`, because it is not part of the log.
 */
export const StartedEvent = z.object({
  type: z.literal('started'),
  seq,
  /** The user message that the run replies to. */
  user_message: Message,
  /** The reply, still empty. */
  assistant_message: Message,
})
export const ModelEvent = z.object({
  type: z.literal('model'),
  seq,
  model: z.string(),
  provider: z.string().optional(),
})
const delta = <Shape extends z.ZodRawShape>(shape: Shape) => z.tuple([z.object({ delta: z.object(shape) })])
export const TextEvent = z.object({
  type: z.literal('text'),
  seq,
  choices: delta({ content: z.string() }),
})
export const ReasoningEvent = z.object({
  type: z.literal('reasoning'),
  seq,
  choices: delta({ reasoning_content: z.string() }),
})
export const UsageEvent = z.object({ type: z.literal('usage'), seq, usage: Usage })
/** The reply `message_id` is complete and calls a tool (§7.36). After a call that needs approval the run ends. */
export const ToolCallEvent = z.object({
  type: z.literal('tool_call'),
  seq,
  message_id: z.string(),
  server: z.string(),
  tool: z.string(),
  arguments: z.string(),
  /** The reply's text without the call. */
  plainContent: z.string(),
  call: ToolCall,
})
export const ToolProgressEvent = z.object({
  type: z.literal('tool_progress'),
  seq,
  message_id: z.string(),
  progress: ToolProgress,
})
/** An elicitation of the call; null when it is closed. */
export const ToolQuestionEvent = z.object({
  type: z.literal('tool_question'),
  seq,
  message_id: z.string(),
  question: ToolQuestion.nullable(),
})
/** A result, stored before it is sent (§7.37). `message.parent_id` is the reply that made the call. */
export const ToolResultEvent = z.object({
  type: z.literal('tool_result'),
  seq,
  role: z.literal('user'),
  content: MessageContent,
  message: Message,
})
/** The run continues with another reply, still empty: the next call of a batch, or the model's response to the results. */
export const ReplyEvent = z.object({ type: z.literal('reply'), seq, assistant_message: Message })
/** A remark about the reply for the user. */
export const NoticeEvent = z.object({ type: z.literal('notice'), seq, notice: z.string() })
export const McpStatusEvent = z.object({
  type: z.literal('mcp_status'),
  seq,
  status: z.string(),
  server: z.string(),
  message: z.string(),
  /** Ends the connection round (§4.9). */
  finished: z.boolean().optional(),
})
export const ErrorEvent = z.object({ type: z.literal('error'), seq, error: ErrorDetail })
/** The last event of every run. The message is stored before this is sent. */
export const EndedEvent = z.object({
  type: z.literal('ended'),
  seq,
  status: z.enum(['complete', 'stopped', 'failed', 'interrupted']),
  /** Only with `complete`: the reply was cut. */
  finish: z.enum(cutReasons).optional(),
})
export const HeartbeatEvent = z.object({ type: z.literal('heartbeat') })

/** An event of the log: everything but the heartbeat. */
export const RunEvent = z.discriminatedUnion('type', [
  StartedEvent,
  ModelEvent,
  TextEvent,
  ReasoningEvent,
  UsageEvent,
  ToolCallEvent,
  ToolProgressEvent,
  ToolQuestionEvent,
  ToolResultEvent,
  ReplyEvent,
  NoticeEvent,
  McpStatusEvent,
  ErrorEvent,
  EndedEvent,
])
export type RunEvent = z.infer<typeof RunEvent>

export const CompletionEvent = z.discriminatedUnion('type', [...RunEvent.options, HeartbeatEvent])
export type CompletionEvent = z.infer<typeof CompletionEvent>

type WithoutSeq<Event> = Event extends RunEvent ? Omit<Event, 'seq'> : never
/** An event to which the log has not yet assigned a number. */
export type UnnumberedEvent = WithoutSeq<RunEvent>
export type StartedEvent = z.infer<typeof StartedEvent>
export type EndedEvent = z.infer<typeof EndedEvent>
export type EndedStatus = EndedEvent['status']

/** The text that closes a stream, after the last event (§7.31). */
export const endMarker = '[DONE]'
