import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/text-of-content'

/** Characters of a reply that are read out by themselves; the rest is on the page. */
const announcedLength = 280

/** Tells a screen reader that a reply is there, once and not token by token. */
export function ReplyAnnouncer({ reply }: { readonly reply: Message | undefined }) {
  return (
    <output className="sr-only">
      {reply === undefined ? '' : `Reply finished. ${textOfContent(reply.content).slice(0, announcedLength)}`}
    </output>
  )
}
