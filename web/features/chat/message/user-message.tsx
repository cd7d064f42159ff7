import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { use, useCallback, useEffect, useRef } from 'react'
import type { Ref } from 'react'
import { DrawnRoundsContext } from '../list/drawn-rounds.ts'
import { MessageActionsContext } from './message-context.ts'
import { MessageEditor } from './message-editor.tsx'
import { MessageMeta } from './message-meta.tsx'

/** A message of the user as plain text, in a block on the right. */
export function UserMessage({ message }: { readonly message: Message }) {
  const actions = use(MessageActionsContext)
  const editing = actions?.editing?.messageId === message.id
  const editButton = useReturnFocus(editing)
  const text = textOfContent(message.content)
  const resend = actions?.resend
  return (
    <article
      ref={useRegisteredRound(message.id)}
      aria-label="You"
      tabIndex={-1}
      className="group/message flex scroll-mt-18 flex-col items-end outline-none"
    >
      {editing && actions !== undefined ? (
        <MessageEditor
          text={text}
          stored={actions.editing?.stored}
          onChange={(changed) => actions.storeEdit(changed === text ? undefined : changed)}
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
          <MessageMeta message={message} text={text} align="end" editButton={editButton} />
        </>
      )}
    </article>
  )
}

/** Registers the message's element, so that the table of contents finds it. */
function useRegisteredRound(messageId: string) {
  const rounds = use(DrawnRoundsContext)
  return useCallback(
    (element: HTMLElement | null) =>
      element === null || rounds === undefined ? undefined : rounds.add(messageId, element),
    [rounds, messageId],
  )
}

/** Returns the ref of the edit button, which gets the focus back when the editor closes. */
function useReturnFocus(editing: boolean): Ref<HTMLButtonElement> {
  const button = useRef<HTMLButtonElement>(null)
  const before = useRef(editing)
  useEffect(() => {
    if (before.current && !editing) button.current?.focus({ preventScroll: true })
    before.current = editing
  }, [editing])
  return button
}
