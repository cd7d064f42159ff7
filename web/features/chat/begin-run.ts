import type { RunState } from '@yonder/contract/apply-event'
import type { Chat } from '@yonder/contract/chat'
import type { OutgoingMessage } from './outbox.ts'

/** What a chat shows before the server has answered (§4.14): the user's message and an empty reply. */
export function beginRun({ id, parentId, content, botName }: OutgoingMessage, now: number): RunState {
  const shared = { timestamp: new Date(now).toISOString(), unix_timestamp: now }
  return {
    seq: 0,
    status: 'running',
    messages: [
      { ...shared, id, parent_id: parentId, role: 'user', content, status: 'complete' },
      {
        ...shared,
        id: `${id}_reply`,
        parent_id: id,
        role: 'assistant',
        content: '',
        status: 'streaming',
        bot: botName,
      },
    ],
  }
}

/** The run that was writing when the chat was read, as far as the chat tells it. */
export function resumeRun({ messages, run }: Chat): RunState | undefined {
  const reply = messages.find(({ id }) => id === run?.message_id)
  if (run === null || reply === undefined) return undefined
  const answered = messages.find(({ id }) => id === reply.parent_id)
  return {
    seq: run.seq,
    status: 'running',
    messages: answered === undefined ? [reply] : [answered, reply],
  }
}
