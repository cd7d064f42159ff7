import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { use, useEffect, useRef } from 'react'
import type { RefObject } from 'react'
import { MessageActionsContext } from './message-actions.ts'
import { MessageEditor } from './message-editor.tsx'
import { MessageMeta } from './message-meta.tsx'

/** What the person wrote, as they wrote it: a quiet block right of the middle. */
export function UserMessage({ message }: { readonly message: Message }) {
  const actions = use(MessageActionsContext)
  const article = useRef<HTMLElement>(null)
  const editing = actions?.editing?.messageId === message.id
  useReturnFocus(article, editing)
  const text = textOfContent(message.content)
  const resend = actions?.resend
  return (
    <article
      ref={article}
      aria-label="You"
      data-round={message.id}
      tabIndex={-1}
      className="group/message flex scroll-mt-18 flex-col items-end outline-none"
    >
      {editing && actions !== undefined ? (
        <MessageEditor
          text={text}
          kept={actions.editing?.kept}
          onChange={(changed) => actions.keepEdit(changed === text ? undefined : changed)}
          onSend={resend && !actions.busy ? (changed) => resend(message, changed) : undefined}
          onCancel={() => actions.edit(undefined)}
        />
      ) : (
        <>
          <div
            dir="auto"
            className="max-w-[85%] rounded-block bg-bubble px-4 py-2.5 leading-relaxed whitespace-pre-wrap sm:max-w-[75%]"
          >
            {text}
          </div>
          <MessageMeta message={message} text={text} align="end" />
        </>
      )}
    </article>
  )
}

/** Whoever leaves the editor stands on the button that opened it. */
function useReturnFocus(article: RefObject<HTMLElement | null>, editing: boolean): void {
  const before = useRef(editing)
  useEffect(() => {
    if (before.current && !editing)
      article.current?.querySelector<HTMLElement>('[data-edit]')?.focus({ preventScroll: true })
    before.current = editing
  }, [article, editing])
}
