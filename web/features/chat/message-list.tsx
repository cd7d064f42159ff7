import type { Message } from '@yonder/contract/message'
import type { LiveChat } from './live-chat.ts'
import { MessageView } from './message-view.tsx'

export interface MessageListProps {
  readonly path: readonly Message[]
  /** The ids of the messages that are being written, and where their text grows. */
  readonly writing?: ReadonlySet<string>
  readonly live?: LiveChat
}

/** The visible path, oldest first (§2.26). */
export function MessageList({ path, writing, live }: MessageListProps) {
  return (
    <section
      aria-label="Messages"
      className="mx-auto flex w-full max-w-column flex-col gap-6 px-4 pt-8 pb-6 sm:px-6"
    >
      {path.map((message) => (
        <MessageView
          // A version takes the place of another one, and the focus stays on its buttons.
          key={message.parent_id ?? 'first'}
          message={message}
          live={writing?.has(message.id) === true ? live : undefined}
        />
      ))}
    </section>
  )
}
