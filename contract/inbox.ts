import { z } from 'zod'
import { Message } from './message.ts'

/** The most items of the inbox that are listed. */
export const maxInboxItems = 100

/** A call that waits for approval, or a running call that asks a question (`message.call.question`). */
export const InboxItem = z.object({
  chat_id: z.string(),
  chat_title: z.string(),
  /** The reply that makes the call. */
  message: Message,
  /** What the user wrote before it, shortened. */
  asked_for: z.string(),
  /** ISO 8601, UTC. `expires_at` is null for a question. */
  asked_at: z.string(),
  expires_at: z.string().nullable(),
})
export type InboxItem = z.infer<typeof InboxItem>

/** `GET /api/inbox`: what waits for the user in all chats, the newest first; `total` also counts what is not listed. */
export const Inbox = z.object({ items: z.array(InboxItem), total: z.int().nonnegative() })
export type Inbox = z.infer<typeof Inbox>
