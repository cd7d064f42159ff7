import type { MessageContent } from '@yonder/contract/message'
import {
  cutText,
  deriveTitle,
  filesOfContent,
  maxReferenceTitleChars,
  maxTitleSourceChars,
  stripMarkdown,
  textOfContent,
} from '@yonder/contract/message-text'
import { useStore } from '../../lib/store.ts'
import { useChatSession } from './session/use-chat-session.ts'

/**
 * The title of a chat: its first message, cut to one short line. Undefined while the chat is loading or empty,
 * and for a first message without text.
 */
export function useChatTitle(chatId: string): string | undefined {
  const first = useStore(useChatSession(chatId).view, ({ chat }) => chat?.messages[0])
  return first && (referenceTitle(textOfContent(first.content)) || undefined)
}

/** The title of a message in a list: that of its text, else the names of its files. */
export function titleOfMessage(content: MessageContent): string {
  const names = filesOfContent(content).map(({ name }) => name)
  return (
    referenceTitle(textOfContent(content)) ||
    cutText(names.join(', '), maxReferenceTitleChars).text ||
    'Message'
  )
}

/** The title of a message: its text on one line without markdown marks, with '...' after 40 characters. */
export function referenceTitle(content: string): string {
  const { text, isCut } = deriveTitle(
    stripMarkdown(content.slice(0, maxTitleSourceChars)),
    maxReferenceTitleChars,
  )
  return isCut ? `${text}...` : text
}
