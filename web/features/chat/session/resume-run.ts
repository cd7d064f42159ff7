import type { RunState } from '@yonder/contract/apply-event'
import type { Chat } from '@yonder/contract/chat'
import type { Message } from '@yonder/contract/message'

/** The run that was writing when the chat was read, as far as the chat tells it. */
export function resumeRun({ messages, run }: Chat): RunState | undefined {
  const first = messages.find(({ id }) => id === run?.message_id)
  if (run === null || first === undefined) return undefined
  const answered = messages.filter(({ id }) => id === first.parent_id)
  return { seq: run.seq, status: 'running', messages: [...answered, ...listWritten(messages, first)] }
}

/** What a run has written is a chain: nobody else writes meanwhile. Messages come oldest first. */
function listWritten(messages: readonly Message[], first: Message): readonly Message[] {
  const written = [first]
  for (const message of messages) if (message.parent_id === written.at(-1)?.id) written.push(message)
  return written
}
