import type { InboxItem } from '@yonder/contract/inbox'
import { callExpiryMs } from '@yonder/contract/lib/call-limits'
import type { Message } from '@yonder/contract/message'
import { deriveTitle } from '@yonder/contract/message-text'

/** Characters of what the user wrote before a call. */
const maxAskedForChars = 200

/** What waits for the user, with what it belongs to. */
export interface WaitingCall {
  readonly chatId: string
  readonly chatTitle: string | null
  readonly message: Message
  /** What the user wrote before it. */
  readonly askedFor: string
  /** Milliseconds since 1970. */
  readonly askedAt: number
}

/** Presents a call to its user. The reasoning before it is left out: it can be long, and nobody decides by it. */
export function presentInboxItem({ chatId, chatTitle, message, askedFor, askedAt }: WaitingCall): InboxItem {
  const { reasoning: _, ...shown } = message
  const { text, isCut } = deriveTitle(askedFor, maxAskedForChars)
  return {
    chat_id: chatId,
    chat_title: chatTitle ?? '',
    message: shown,
    asked_for: isCut ? `${text}…` : text,
    asked_at: new Date(askedAt).toISOString(),
    expires_at: message.call?.state === 'waiting' ? new Date(askedAt + callExpiryMs).toISOString() : null,
  }
}
