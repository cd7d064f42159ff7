import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/text-of-content'
import { MessageMeta } from './message-meta.tsx'

/** What the person wrote, as they wrote it: a quiet block right of the middle. */
export function UserMessage({ message }: { readonly message: Message }) {
  return (
    <article aria-label="You" className="group/message flex flex-col items-end">
      <div
        dir="auto"
        className="max-w-[85%] rounded-block bg-bubble px-4 py-2.5 leading-relaxed whitespace-pre-wrap sm:max-w-[75%]"
      >
        {textOfContent(message.content)}
      </div>
      <MessageMeta message={message} align="end" />
    </article>
  )
}
