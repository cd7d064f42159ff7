import { z } from 'zod'
import { ClientId } from './chat.ts'
import { MessageContent, SentContent } from './message.ts'

/** The most messages that wait in a queue, and the most characters of one. */
export const maxQueued = 10
export const maxQueuedChars = 16_000

const BotName = z.string().min(1, 'no bot is selected').max(200)

/** A message that is sent when the reply before it has ended. */
export const QueuedMessage = z.object({
  /** The id that the message keeps when it is sent. */
  id: z.string(),
  content: MessageContent,
  /** The bot that will reply, by name; null when it was deleted. */
  bot: z.string().nullable(),
  /** Whether it goes into the running reply at the next step. Such messages are the first. */
  steers: z.boolean(),
  /** ISO 8601, UTC. */
  created_at: z.string(),
})
export type QueuedMessage = z.infer<typeof QueuedMessage>

/**
 * Why a queue does not go on by itself: the last reply waits for approval or did so in vain, failed, was stopped by the
 * user, or was interrupted with its server; the bot of the first message was deleted; or that message could not be sent.
 */
export const queuePauses = [
  'approval',
  'expired',
  'failed',
  'stopped',
  'interrupted',
  'no_bot',
  'refused',
] as const
export type QueuePause = (typeof queuePauses)[number]

/** The queue of the branch that a chat shows, in the order of sending. */
export const Queue = z.object({
  messages: z.array(QueuedMessage),
  /** Null while a reply is written, and when the queue is empty. */
  paused: z.enum(queuePauses).nullable(),
  /** With `refused`: why. */
  reason: z.string().optional(),
})
export type Queue = z.infer<typeof Queue>

/**
 * `POST /api/chat/queue`: queues a message, or sends it at once when nothing is ahead of it. Repeating an id with the same
 * content is a retry; with other content it is a conflict. The response to this and to each of the other requests is the queue.
 */
export const QueueRequest = z.object({
  chatId: ClientId,
  id: ClientId,
  botName: BotName,
  content: SentContent,
  /** The last message of the branch, or the reply that is being written. By default the selected leaf. */
  parentId: ClientId.optional(),
  time_zone: z.string().max(100).nullish(),
})
export type QueueRequest = z.infer<typeof QueueRequest>

/** `GET /api/chat/queue`; also the query of `DELETE /api/chat/queue/{id}`, which takes a message out. */
export const QueueQuery = z.object({ chatId: ClientId })

/** `PATCH /api/chat/queue/{id}`: changes a message that still waits. A conflict when it was sent meanwhile. */
export const QueueChange = z.object({
  chatId: ClientId,
  content: SentContent.optional(),
  /** The bot that is to reply, by name. */
  botName: BotName.optional(),
  /** The id of the message before which it is put; null for the end. */
  before: ClientId.nullable().optional(),
  /** Whether it goes into the running reply at the next step. */
  steers: z.boolean().optional(),
})
export type QueueChange = z.infer<typeof QueueChange>

/** `POST /api/chat/queue/{id}/send`: stops the reply, keeps its text, and sends this message. */
export const QueueAction = z.object({ chatId: ClientId, time_zone: z.string().max(100).nullish() })
export type QueueAction = z.infer<typeof QueueAction>

/**
 * `POST /api/chat/queue/continue`: goes on although the queue is paused; a call that waits for approval is denied by that.
 * Does nothing when the queue is not the one that the user saw any more, so that a second click decides no other call.
 */
export const QueueContinue = QueueAction.extend({
  /** The id of the first message. */
  id: ClientId,
  paused: z.enum(queuePauses),
})
export type QueueContinue = z.infer<typeof QueueContinue>
