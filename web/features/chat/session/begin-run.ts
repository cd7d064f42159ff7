import type { RunState } from '@yonder/contract/apply-event'
import type { Message } from '@yonder/contract/message'
import type { OutgoingMessage } from './outbox.ts'

/** What a chat shows before the server has answered (§4.14): the user's message and an empty reply. */
export function beginRun({ id, parentId, content, botName }: OutgoingMessage, now: number): RunState {
  const question: Message = {
    ...timesAt(now),
    id,
    parent_id: parentId,
    role: 'user',
    content,
    status: 'complete',
  }
  return { seq: 0, status: 'running', messages: [question, emptyReply(question, id, botName, now)] }
}

/** The same for another reply to a message that is there (§4.24): an empty one beside those it has. */
export function beginAgain(question: Message, botName: string, now: number): RunState {
  const reply = emptyReply(question, `${question.id}_${now}`, botName, now)
  return { seq: 0, status: 'running', messages: [question, reply] }
}

/** A call that its person has just allowed (§4.20): it runs, as far as anybody here knows. */
export function beginCall(messages: readonly Message[], reply: Message): RunState {
  const { changes: _, ...call } = reply.call ?? {}
  const answered = messages.filter(({ id }) => id === reply.parent_id)
  return {
    seq: 0,
    status: 'running',
    messages: [...answered, { ...reply, call: { ...call, state: 'running' } }],
  }
}

function emptyReply(question: Message, name: string, bot: string, now: number): Message {
  return {
    ...timesAt(now),
    id: `${name}_reply`,
    parent_id: question.id,
    role: 'assistant',
    content: '',
    status: 'streaming',
    bot,
  }
}

function timesAt(now: number) {
  return { timestamp: new Date(now).toISOString(), unix_timestamp: now }
}
