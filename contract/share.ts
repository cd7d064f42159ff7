import { z } from 'zod'
import { ClientId } from './chat.ts'
import { Message } from './message.ts'

/** Without `messageId`, the chat is shared as its owner sees it: up to the selected leaf. */
export const ShareRequest = z.object({ messageId: ClientId.optional() })
export type ShareRequest = z.infer<typeof ShareRequest>

/** The link is `/share/{shareId}`. */
export const ShareResponse = z.object({ shareId: z.string() })
export type ShareResponse = z.infer<typeof ShareResponse>

/** A link in its owner's list in the settings, under General. */
export const OwnShare = z.object({ id: z.string(), title: z.string(), created_at: z.string() })
export type OwnShare = z.infer<typeof OwnShare>
export const OwnShareList = z.object({ shares: z.array(OwnShare) })

/** A shared chat for a visitor: one path, oldest first, without the arguments and results of tool calls. */
export const SharedChat = z.object({
  id: z.string(),
  messages: z.array(Message),
  update_time: z.string(),
  selected_message_id: z.string(),
})
export type SharedChat = z.infer<typeof SharedChat>
