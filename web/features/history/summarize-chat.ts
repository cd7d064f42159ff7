import type { ChatSummary } from '@yonder/contract/chat'

type SummaryMessage = ChatSummary['messages'][number]

const titleLength = 30
const previewLength = 50
/** How much of a message is looked at: a whole answer would take long to cut into characters. */
const readLength = 2000

export interface ChatLine {
  readonly title: string
  /** Whether the message goes on after the title. */
  readonly isTitleCut: boolean
  readonly preview: string
  /** The model of the second message, which is the first reply. */
  readonly model: string | undefined
}

/** What the history shows of a chat (§2.43, §2.46). */
export function summarizeChat({ messages }: ChatSummary): ChatLine {
  const [first, second] = messages
  if (first === undefined)
    return { title: 'New Chat', isTitleCut: false, preview: 'Start a new conversation...', model: undefined }
  const last = messages.findLast((message) => readText(message) !== '') ?? first
  const [title, isTitleCut] = cut(describe(first), titleLength)
  const [preview, isCut] = cut(stripMarks(describe(last)), previewLength)
  return { title, isTitleCut, preview: isCut ? `${preview}...` : preview, model: second?.model }
}

function describe(message: SummaryMessage): string {
  return readText(message) || 'Message content'
}

/** A preview is one plain line: the marks of markdown only take its place. */
function stripMarks(text: string): string {
  return text.replace(/\*\*|`+|(?<=^|\s)#{1,6}\s+/g, '')
}

/** The text of a message on one line. */
function readText({ content }: SummaryMessage): string {
  const text = typeof content === 'string' ? content : content.map((part) => part.text ?? '').join(' ')
  return text.slice(0, readLength).replace(/\s+/g, ' ').trim()
}

/** The first `length` characters as a person counts them, and whether any were left out. */
function cut(text: string, length: number): readonly [text: string, isCut: boolean] {
  const characters = [...new Intl.Segmenter().segment(text)]
  if (characters.length <= length) return [text, false]
  return [
    characters
      .slice(0, length)
      .map(({ segment }) => segment)
      .join(''),
    true,
  ]
}
