import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'

/** Characters of a reply that are read out by themselves; the rest is on the page. */
const announcedLength = 280

/** Tells a screen reader that a reply is there, once and not token by token, and what it waits for. */
export function ReplyAnnouncer({ reply }: { readonly reply: Message | undefined }) {
  return <output className="sr-only">{reply?.role === 'assistant' ? announce(reply) : ''}</output>
}

function announce({ content, call, server, tool }: Message): string {
  const text = textOfContent(content).slice(0, announcedLength)
  if (call?.state !== 'waiting') return `Reply finished. ${text}`
  return `${text} The tool ${call.title ?? tool} of ${server} waits for your permission.`.trim()
}
