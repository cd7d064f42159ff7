import type { ChatSummary } from '@yonder/contract/chat'
import {
  cutText,
  deriveTitle,
  maxHistoryTitleChars,
  maxTitleSourceChars,
  stripMarkdown,
  textOfContent,
} from '@yonder/contract/message-text'

type SummaryMessage = ChatSummary['messages'][number]

/** The length of a preview. */
const maxPreviewChars = 50

/** Returns what the history shows of a chat. */
export function summarizeChat({ messages }: ChatSummary) {
  const [first, second] = messages
  if (first === undefined)
    return { title: 'New Chat', isTitleCut: false, preview: 'Start a new conversation...', model: undefined }
  const last = messages.findLast((message) => textOf(message) !== '') ?? first
  const title = deriveTitle(describeMessage(first), maxHistoryTitleChars)
  const preview = cutText(previewOf(last), maxPreviewChars)
  return {
    title: title.text,
    isTitleCut: title.isCut,
    preview: preview.isCut ? `${preview.text}...` : preview.text,
    /** The second message is the first reply. */
    model: second?.model,
  }
}

function describeMessage(message: SummaryMessage): string {
  return textOf(message) || 'Message content'
}

/** Returns the text of a message on one line, without markdown marks unless it consists of marks only. */
function previewOf(message: SummaryMessage): string {
  return toLine(stripMarkdown(sourceOf(message))) || describeMessage(message)
}

function textOf(message: SummaryMessage): string {
  return toLine(sourceOf(message))
}

/** Returns the part of a message from which its title and preview are derived. */
function sourceOf({ content }: SummaryMessage): string {
  return textOfContent(content).slice(0, maxTitleSourceChars)
}

function toLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
