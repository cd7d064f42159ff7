import type { UnnumberedEvent } from '@yonder/contract/completion'
import { endMarker } from '@yonder/contract/completion'
import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/text-of-content'
import { sseFrame } from '../http/sse.ts'

/** The stream of a run whose log is gone, from the messages that it left: folded, it gives the same reply. */
export function retellRun(question: Message, reply: Message): string {
  return tell(question, reply)
    .map(({ type, ...rest }, index) => sseFrame(JSON.stringify({ type, seq: index + 1, ...rest })))
    .concat(sseFrame(endMarker))
    .join('')
}

function tell(question: Message, reply: Message): UnnumberedEvent[] {
  const { partial, reasoning, usage, error, finish, provider, ...rest } = reply
  const text = reply.status === 'failed' ? (partial ?? '') : textOfContent(reply.content)
  const events: UnnumberedEvent[] = [
    {
      type: 'started',
      user_message: question,
      assistant_message: { ...rest, content: '', status: 'streaming' },
    },
  ]
  if (provider !== undefined) events.push({ type: 'model', model: reply.model ?? '', provider })
  if (reasoning !== undefined) {
    events.push({ type: 'reasoning', choices: [{ delta: { reasoning_content: reasoning } }] })
  }
  if (text !== '') events.push({ type: 'text', choices: [{ delta: { content: text } }] })
  if (usage !== undefined) events.push({ type: 'usage', usage })
  if (error !== undefined) events.push({ type: 'error', error })
  const status = reply.status === 'streaming' ? 'interrupted' : reply.status
  events.push({ type: 'ended', status, ...(finish === undefined ? {} : { finish }) })
  return events
}
