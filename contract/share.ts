import { z } from 'zod'
import { ClientId } from './chat.ts'
import { Message } from './message.ts'

/** Without `messageId`, the chat is shared as its owner sees it: up to the selected leaf. */
export const ShareRequest = z.object({
  messageId: ClientId.optional(),
  /** Whether visitors may read the files in the messages. Absent keeps that of an existing link; without one they may not. */
  files: z.boolean().optional(),
})
export type ShareRequest = z.infer<typeof ShareRequest>

/** The link is `/share/{shareId}`. */
export const ShareResponse = z.object({
  shareId: z.string(),
  /** How many files are in its messages, and whether visitors may read them. Absent without files. */
  files: z.object({ count: z.int().positive(), shared: z.boolean() }).optional(),
})
export type ShareResponse = z.infer<typeof ShareResponse>

/** Whether the visitors of a link may read the files in its messages: `PATCH /api/share/{shareId}`. */
export const ShareChange = z.object({ files: z.boolean() })
export type ShareChange = z.infer<typeof ShareChange>

/** A link in its owner's list in the settings, under General. */
export const OwnShare = z.object({
  id: z.string(),
  title: z.string(),
  created_at: z.string(),
  /** Whether visitors may read the files in the messages. */
  files: z.boolean(),
})
export type OwnShare = z.infer<typeof OwnShare>
export const OwnShareList = z.object({ shares: z.array(OwnShare) })

/**
 * A shared chat for a visitor: one path, oldest first, without the arguments and results of tool calls. Its files have
 * an id, with which `GET /api/share/{shareId}/files/{id}` returns their bytes, only if the owner lets them go along.
 */
export const SharedChat = z.object({
  id: z.string(),
  messages: z.array(Message),
  update_time: z.string(),
  selected_message_id: z.string(),
})
export type SharedChat = z.infer<typeof SharedChat>
