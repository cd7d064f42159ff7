import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import type { SessionView } from '../session/session-state.ts'

export interface ChatStatusProps {
  readonly view: SessionView
  /** Whether a tool call needs approval; sending a message denies it. */
  readonly needsApproval: boolean
}

/** A line above the input: a lost connection, a failure, or that sending a message denies the pending call (§10.25, §13.9). */
export function ChatStatus({ view: { isConnected, notice }, needsApproval }: ChatStatusProps) {
  const hint = needsApproval ? 'A tool waits for your permission. Sending a message denies it.' : undefined
  const text = isConnected ? (notice ?? hint) : 'The connection is lost. Joining again...'
  return <output className="block px-4 pb-2 text-center text-sm text-muted empty:hidden">{text}</output>
}

/** At most this many characters of a reply are announced to a screen reader; the rest can be read on the page. */
const maxAnnouncedChars = 280

/**
 * Announces a finished reply to a screen reader, once and not token by token, and whether it needs approval (§14.26).
 */
export function ReplyAnnouncer({ reply }: { readonly reply: Message | undefined }) {
  return <output className="sr-only">{reply?.role === 'assistant' ? announce(reply) : ''}</output>
}

function announce({ content, call, server, tool }: Message): string {
  const text = textOfContent(content).slice(0, maxAnnouncedChars)
  if (call?.state !== 'waiting') return `Reply finished. ${text}`
  return `${text} The tool ${call.title ?? tool} of ${server} waits for your permission.`.trim()
}
