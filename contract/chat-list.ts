import { z } from 'zod'
import { ChatPlace, ClientId, SummaryMessage } from './chat.ts'
import { maxNamedChats, maxTitleLength } from './lib/chat-limits.ts'

/** A chat as the list beside the chat shows it. */
export const ListedChat = ChatPlace.extend({
  id: z.string(),
  title: z.string(),
  /** The time of its last message. Lists are ordered by it, then by id, both descending. */
  update_time: z.string(),
})
export type ListedChat = z.infer<typeof ListedChat>

/** A chat with all that any list shows of it. */
export const ListedSummary = ListedChat.extend({ messages: z.array(SummaryMessage) })
export type ListedSummary = z.infer<typeof ListedSummary>

/**
 * `recent` has the chats that are in no other section and in no project. A pinned chat is in `pinned`, and in the section
 * of its project if it has one. `all` has every chat that is neither archived nor deleted, and is for the filter; of these,
 * `unread` and `waiting` have those that are unread or wait for approval.
 * `deleted` is ordered by the time of deletion, the others by the time of the last message; the newest is the first.
 */
export const chatSections = [
  'recent',
  'pinned',
  'project',
  'archived',
  'deleted',
  'all',
  'unread',
  'waiting',
] as const
export type ChatSection = (typeof chatSections)[number]

/** Which chats: a section, of which project, and with which words in the title. */
export const ChatSelection = z
  .object({
    section: z.enum(chatSections),
    /** With the section `project` only, and always with it. */
    project: ClientId.optional(),
    /** Chats are listed whose title contains every word of it. */
    filter: z.string().max(200).optional().default(''),
  })
  .refine(({ section, project }) => (section === 'project') === (project !== undefined), {
    path: ['project'],
    message: 'must be given with the section "project" and with no other',
  })
export type ChatSelection = z.infer<typeof ChatSelection>

/** The most chats of a page of the list, and the default number. */
export const maxListedChats = 200
export const listedChatsAtOnce = 50

export const ListedChatsQuery = z.intersection(
  ChatSelection,
  z.object({
    /** `next` of the page before. It stays valid when its chat moves or is deleted. */
    cursor: z
      .string()
      .regex(/^\d{1,15}-[\w-]{1,64}$/, 'must be `next` of another page')
      .optional(),
    limit: z.coerce.number().int().min(1).max(maxListedChats).optional().default(listedChatsAtOnce),
  }),
)
export type ListedChatsQuery = z.infer<typeof ListedChatsQuery>

/** `next` is null on the last page. */
export const ListedChats = z.object({ chats: z.array(ListedChat), next: z.string().nullable() })
export type ListedChats = z.infer<typeof ListedChats>

/** The most chats that have marks in a list. */
export const maxMarkedChats = 500

/** The chats that are unread, wait for approval or get a reply, newest first. Archived and deleted ones have no marks. */
export const ChatMarks = z.object({ marks: z.array(ListedChat) })
export type ChatMarks = z.infer<typeof ChatMarks>

export const titleTooLong = `must have at most ${maxTitleLength} characters`

/** What a request changes in chats. The order of the list stays, because the time of a chat is that of its last message. */
export const ChatChange = z
  .object({
    /**
     * One line; control characters and invisible ones are removed. An empty one gives the default title back. More than
     * ten times the limit cannot become a title by that.
     */
    title: z
      .string()
      .max(10 * maxTitleLength, titleTooLong)
      .optional(),
    pinned: z.boolean().optional(),
    archived: z.boolean().optional(),
    unread: z.boolean().optional(),
    /** Null for no project. */
    project_id: ClientId.nullable().optional(),
    /** `false` restores a chat that was deleted less than `deletedChatDays` ago. */
    deleted: z.boolean().optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), 'must change something')
  .refine(
    ({ deleted, ...others }) =>
      deleted === undefined || Object.values(others).every((value) => value === undefined),
    { path: ['deleted'], message: 'must be the only change' },
  )
export type ChatChange = z.infer<typeof ChatChange>

/** Changes some chats, or all of a section, in one transaction. */
export const ChatsChange = z
  .object({
    chats: z.union([z.array(ClientId).min(1).max(maxNamedChats), ChatSelection], {
      error: 'must be ids of chats, or a section',
    }),
    change: ChatChange,
    /** With `unread: false`: the `update_time` that the user has seen. A chat that has changed later stays unread. */
    seen: z.iso.datetime().optional(),
  })
  .refine(({ chats, change }) => change.title === undefined || (Array.isArray(chats) && chats.length === 1), {
    path: ['change', 'title'],
    message: 'can be changed of one chat at a time',
  })
  .refine(({ change, seen }) => seen === undefined || change.unread === false, {
    path: ['seen'],
    message: 'belongs to the change "unread: false"',
  })
export type ChatsChange = z.infer<typeof ChatsChange>

/** Deletes chats for good that are deleted, some or all. */
export const ChatsPurge = z.object({
  chats: z.union([z.array(ClientId).min(1).max(maxNamedChats), z.literal('all')], {
    error: 'must be ids of chats, or "all"',
  }),
})
export type ChatsPurge = z.infer<typeof ChatsPurge>

export const PurgedChats = z.object({ purged: z.int() })
export type PurgedChats = z.infer<typeof PurgedChats>

/** `ids` has the chats that were different before, and `chats` too, unless they are more than `maxListedChats`. */
export const ChangedChats = z.object({
  ids: z.array(z.string()),
  chats: z.array(ListedChat).optional(),
})
export type ChangedChats = z.infer<typeof ChangedChats>
