import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import type { SessionView } from '../session/session-state.ts'

export interface ChatStatusProps {
  readonly view: SessionView
  /** Whether a tool call needs approval; the user may write something else instead. */
  readonly needsApproval: boolean
}

/** A line over the input: a broken connection, something that failed, or what sending means now (§10.25, §13.9). */
export function ChatStatus({ view: { isConnected, notice }, needsApproval }: ChatStatusProps) {
  const hint = needsApproval ? 'A tool waits for your permission. Sending a message denies it.' : undefined
  const text = isConnected ? (notice ?? hint) : 'The connection is lost. Joining again...'
  return <output className="block px-4 pb-2 text-center text-sm text-muted empty:hidden">{text}</output>
}

/** A screen reader reads so many characters of a reply by itself; the rest is on the page. */
const maxAnnouncedChars = 280

/** Announces a finished reply to a screen reader, once and not token by token, and whether it needs approval. */
export function ReplyAnnouncer({ reply }: { readonly reply: Message | undefined }) {
  return <output className="sr-only">{reply?.role === 'assistant' ? announce(reply) : ''}</output>
}

function announce({ content, call, server, tool }: Message): string {
  const text = textOfContent(content).slice(0, maxAnnouncedChars)
  if (call?.state !== 'waiting') return `Reply finished. ${text}`
  return `${text} The tool ${call.title ?? tool} of ${server} waits for your permission.`.trim()
}
