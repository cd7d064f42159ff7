import type { ChatSummary } from '@yonder/contract/chat'
import {
  cutText,
  deriveTitle,
  maxHistoryTitleChars,
  maxTitleSourceChars,
} from '@yonder/contract/message-text'

type SummaryMessage = ChatSummary['messages'][number]

/** The length of a preview (§9.6). */
const maxPreviewChars = 50

export interface ChatLine {
  readonly title: string
  /** Whether the message is longer than the title. */
  readonly isTitleCut: boolean
  readonly preview: string
  /** The model of the second message, which is the first reply. */
  readonly model: string | undefined
}

/** Returns what the history shows of a chat (§2.43, §2.46). */
export function summarizeChat({ messages }: ChatSummary): ChatLine {
  const [first, second] = messages
  if (first === undefined)
    return { title: 'New Chat', isTitleCut: false, preview: 'Start a new conversation...', model: undefined }
  const last = messages.findLast((message) => textOf(message) !== '') ?? first
  const title = deriveTitle(describe(first), maxHistoryTitleChars)
  const preview = cutText(stripMarkdown(describe(last)), maxPreviewChars)
  return {
    title: title.text,
    isTitleCut: title.isCut,
    preview: preview.isCut ? `${preview.text}...` : preview.text,
    model: second?.model,
  }
}

function describe(message: SummaryMessage): string {
  return textOf(message) || 'Message content'
}

/** Removes markdown syntax, which would only take space in the single plain line of a preview. */
function stripMarkdown(text: string): string {
  return text.replace(/\*\*|`+|(?<=^|\s)#{1,6}\s+/g, '')
}

/** Returns the text of a message on one line. */
function textOf({ content }: SummaryMessage): string {
  const text = typeof content === 'string' ? content : content.map((part) => part.text ?? '').join(' ')
  return text.slice(0, maxTitleSourceChars).replace(/\s+/g, ' ').trim()
}
