import type { EndedStatus, UnnumberedEvent } from '@yonder/contract/completion'
import { endMarker } from '@yonder/contract/completion'
import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { sseFrame } from '../../http/sse.ts'

/** The stream of a run whose log is gone, from the messages that it left: folded, it gives the same ones. */
export function retellRun(question: Message, written: readonly Message[]): string {
  return tell(question, written)
    .map(({ type, ...rest }, index) => sseFrame(JSON.stringify({ type, seq: index + 1, ...rest })))
    .concat(sseFrame(endMarker))
    .join('')
}

function tell(question: Message, written: readonly Message[]): UnnumberedEvent[] {
  const events = written.flatMap((message, index): UnnumberedEvent[] => {
    if (message.role === 'user') {
      return [{ type: 'tool_result', role: 'user', content: message.content, message }]
    }
    const assistant_message = toEmpty(message)
    return [
      index === 0
        ? { type: 'started', user_message: question, assistant_message }
        : { type: 'reply', assistant_message },
      ...tellReply(message, index < written.length - 1),
    ]
  })
  const last = written.at(-1)
  return [...events, { type: 'ended', status: endOf(last), ...(last?.finish && { finish: last.finish }) }]
}

/** A reply before anything was written into it. */
function toEmpty(reply: Message): Message {
  const {
    partial: _partial,
    reasoning: _reasoning,
    usage: _usage,
    error: _error,
    finish: _finish,
    provider: _provider,
    server: _server,
    tool: _tool,
    arguments: _arguments,
    call: _call,
    notice: _notice,
    ...rest
  } = reply
  return { ...rest, content: '', status: 'streaming' }
}

function tellReply(reply: Message, isAnswered: boolean): UnnumberedEvent[] {
  const { reasoning, usage, error, provider, notice, call, server = '', tool = '' } = reply
  const text = reply.status === 'failed' ? (reply.partial ?? '') : textOfContent(reply.content)
  const events: UnnumberedEvent[] = []
  if (provider !== undefined) events.push({ type: 'model', model: reply.model ?? '', provider })
  if (reasoning !== undefined) {
    events.push({ type: 'reasoning', choices: [{ delta: { reasoning_content: reasoning } }] })
  }
  if (text !== '') events.push({ type: 'text', choices: [{ delta: { content: text } }] })
  if (usage !== undefined) events.push({ type: 'usage', usage })
  if (notice !== undefined) events.push({ type: 'notice', notice })
  if (error !== undefined) events.push({ type: 'error', error })
  if (call !== undefined) {
    events.push({
      type: 'tool_call',
      message_id: reply.id,
      server,
      tool,
      arguments: reply.arguments ?? '{}',
      plainContent: text,
      call: isAnswered ? { ...call, state: 'running' } : call,
    })
  }
  return events
}

/** A run that wrote no reply after a result was stopped there, or its server went down. */
function endOf(last: Message | undefined): EndedStatus {
  if (last?.role === 'user') return last.outcome?.status === 'interrupted' ? 'interrupted' : 'stopped'
  return last === undefined || last.status === 'streaming' ? 'interrupted' : last.status
}
