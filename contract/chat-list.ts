import { z } from 'zod'
import { ClientId } from './chat.ts'

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
  /** A reply is being written. */
  running: z.boolean().optional(),
  /** Who wrote the title; absent for the default one, the beginning of the first message. */
  title_source: z.enum(['user', 'model']).optional(),
})
export type ChatPlace = z.infer<typeof ChatPlace>

/** A chat as the list beside the chat shows it. */
export const ListedChat = ChatPlace.extend({
  id: z.string(),
  title: z.string(),
  /** The time of its last message. Lists are ordered by it, then by id, both descending. */
  update_time: z.string(),
})
export type ListedChat = z.infer<typeof ListedChat>

/**
 * `recent` has the chats that are in no other section and in no project. A pinned chat is in `pinned` also when it is in
 * a project. `all` has every chat that is neither archived nor deleted, and is for the filter.
 */
export const chatSections = ['recent', 'pinned', 'project', 'archived', 'deleted', 'all'] as const
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
    cursor: z.string().max(200).optional(),
    limit: z.coerce.number().int().min(1).max(maxListedChats).optional().default(listedChatsAtOnce),
  }),
)
export type ListedChatsQuery = z.infer<typeof ListedChatsQuery>

/** `next` is null on the last page. */
export const ListedChats = z.object({ chats: z.array(ListedChat), next: z.string().nullable() })
export type ListedChats = z.infer<typeof ListedChats>
