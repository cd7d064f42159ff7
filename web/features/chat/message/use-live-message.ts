import type { RunState } from '@yonder/contract/apply-event'
import type { Message } from '@yonder/contract/message'
import { useStore } from '../../../lib/store.ts'
import type { ReadableStore } from '../../../lib/store.ts'
import type { ChatSession } from '../session/chat-session.ts'

const noRun: ReadableStore<RunState | undefined> = { get: () => undefined, subscribe: () => () => undefined }

/** A message with its text so far. Only this message is drawn again while the text grows. */
export function useLiveMessage(message: Message, session: ChatSession | undefined): Message {
  const find = (run: RunState | undefined) => run?.messages.find(({ id }) => id === message.id)
  return useStore(session?.drawnRun ?? noRun, find) ?? message
}
