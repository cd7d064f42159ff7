import { z } from 'zod'
import { Compaction } from './compaction.ts'
import { Message, MessageContent } from './message.ts'

/** An id in a request. Clients can generate ids themselves; the server's own ids match too. */
export const ClientId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "-" or "_"')

/** Where a chat stands in the list, from what the user did with it and from its replies. Booleans are absent when false. */
export const ChatPlace = z.object({
  pinned: z.boolean().optional(),
  archived: z.boolean().optional(),
  /** The project that the chat is in. */
  project_id: z.string().optional(),
  /** When the chat was deleted. It can be restored for some time. */
  deleted_time: z.string().optional(),
  /** A reply has ended, or waits for approval, that no page has shown yet, or the user marked the chat as unread. */
  unread: z.boolean().optional(),
  /** The last call needs approval. */
  waiting: z.boolean().optional(),
  /** The last reply has failed. */
  failed: z.boolean().optional(),
  /** A reply is being written. */
  running: z.boolean().optional(),
  /** Who wrote the title; absent for the default one, the beginning of the first message. */
  title_source: z.enum(['user', 'model']).optional(),
})
export type ChatPlace = z.infer<typeof ChatPlace>

/** The active run of a chat. `seq` is the number of the last event that the messages contain. */
export const ChatRun = z.object({ message_id: z.string(), seq: z.int() })
export type ChatRun = z.infer<typeof ChatRun>

/** A chat as its owner reads it: the whole tree. The visible path is derived from `selected_message_id`. */
export const Chat = ChatPlace.extend({
  id: z.string(),
  /** Absent before the first message. */
  title: z.string().optional(),
  messages: z.array(Message),
  update_time: z.string(),
  selected_message_id: z.string().nullable(),
  run: ChatRun.nullable(),
  /** Today's name of the bot with which an imported chat goes on when none of its replies names one of the user's. */
  bot: z.string().optional(),
  /** Messages wait in a queue, of whatever branch. Absent when false. */
  queued: z.boolean().optional(),
  /** The summaries of its older messages, oldest first; absent when there is none. */
  compactions: z.array(Compaction).optional(),
})
export type Chat = z.infer<typeof Chat>

export const SummaryMessage = z.object({
  role: z.enum(['user', 'assistant']),
  content: MessageContent,
  model: z.string().optional(),
})

export type SummaryMessage = z.infer<typeof SummaryMessage>

/** The message of a found chat that has the most of the searched words; of several, the newest. */
export const Passage = z.object({
  message_id: z.string(),
  role: z.enum(['user', 'assistant']),
  /** Today's name of the bot that replied; of a deleted bot, its name at that time. */
  bot: z.string().optional(),
  model: z.string().optional(),
  /** Absent when it is unknown. */
  time: z.string().optional(),
  /** About 150 characters around the first match, on one line and without markdown marks; `…` where it was cut. */
  text: z.string(),
  /** How many messages have as many of the words. Counted up to 100: the highest number means "or more". */
  count: z.int().min(1),
})
export type Passage = z.infer<typeof Passage>

/** A chat in a list: the first two messages of the selected path and, when there are more, the last. */
export const ChatSummary = ChatPlace.extend({
  id: z.string(),
  update_time: z.string(),
  title: z.string().optional(),
  messages: z.array(SummaryMessage),
  /** Of a chat that a search has found; absent when only its title has the words. */
  passage: Passage.optional(),
})
export type ChatSummary = z.infer<typeof ChatSummary>

export const ChatListQuery = z.object({
  search: z.string().max(500).optional().default(''),
  /** Starts at 1. */
  page: z.coerce.number().int().min(1).max(100_000).optional().default(1),
  limit: z.coerce.number().int().min(1).max(100).optional().default(10),
})
export type ChatListQuery = z.infer<typeof ChatListQuery>

export const ChatList = z.object({
  chats: z.array(ChatSummary),
  /** Counted up to 100 for a search and up to 1,000 without one: the highest number means "or more". */
  total: z.int(),
  page: z.int(),
  limit: z.int(),
})
export type ChatList = z.infer<typeof ChatList>

/** The same `request` of the same user always gets the same chat, so that a retry creates no second one. */
export const NewChatQuery = z.object({
  request: ClientId.optional(),
  /** The project to which the chat belongs from its beginning. */
  project: ClientId.optional(),
})

/** The id that was reserved for a new chat. */
export const NewChat = z.object({ id: z.string() })
export type NewChat = z.infer<typeof NewChat>

export const SelectResponse = z.object({ chatId: ClientId, messageId: ClientId })
export type SelectResponse = z.infer<typeof SelectResponse>

/** The new selected leaf: the message below the requested one that was shown last, or the requested one itself. */
export const SelectedLeaf = z.object({ selected_message_id: z.string() })
export type SelectedLeaf = z.infer<typeof SelectedLeaf>

export const StopRequest = z.object({ chatId: ClientId })
export type StopRequest = z.infer<typeof StopRequest>

/** `stopped` is false when the chat had no active run. */
export const StopResponse = z.object({ stopped: z.boolean() })
export type StopResponse = z.infer<typeof StopResponse>
