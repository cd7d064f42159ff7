import type { EndedEvent, EndedStatus, RunEvent } from './completion.ts'
import { textOfContent, withText } from './message-text.ts'
import type { Message } from './message.ts'
import type { ToolCall } from './tool-call.ts'

/** A run folded from its events: its messages and its status. */
export interface RunState {
  /**
   * The number of the last event applied. An event with a lower or equal number is ignored, so a replay changes
   * nothing.
   */
  readonly seq: number
  readonly status: 'running' | EndedStatus
  /** The user message or tool's result that the run replies to, then its replies and tool results, oldest first. */
  readonly messages: readonly Message[]
}

export const emptyRun: RunState = { seq: 0, status: 'running', messages: [] }

/**
 * The only reducer of the stream. The server stores the reply that this function computes, and the browser shows the
 * reply that it computes from the same events, so both are equal. A failed reply is the exception: the server stores
 * its text, and `showFailure` adds the error on each read. The function is pure. An ignored event returns the same
 * state.
 */
export function applyEvent(run: RunState, event: RunEvent): RunState {
  if (event.seq <= run.seq) return run
  return { ...fold(run, event), seq: event.seq }
}

function fold(run: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case 'started':
      return { ...run, messages: [event.user_message, event.assistant_message] }
    case 'model':
      return changeReply(run, (reply) => ({
        ...reply,
        model: event.model,
        ...(event.provider === undefined ? {} : { provider: event.provider }),
      }))
    case 'text':
      return changeReply(run, (reply) => ({
        ...reply,
        content: withText(reply.content, textOfContent(reply.content) + event.choices[0].delta.content),
      }))
    case 'reasoning':
      return changeReply(run, (reply) => ({
        ...reply,
        reasoning: (reply.reasoning ?? '') + event.choices[0].delta.reasoning_content,
      }))
    case 'text_was_reasoning':
      return changeReply(run, (reply) => ({
        ...reply,
        content: withText(reply.content, ''),
        reasoning: (reply.reasoning ?? '') + textOfContent(reply.content),
      }))
    case 'usage':
      return changeReply(run, (reply) => ({ ...reply, usage: event.usage }))
    case 'tool_call':
      return changeReply(run, (reply) => ({
        ...reply,
        status: 'complete',
        server: event.server,
        tool: event.tool,
        arguments: event.arguments,
        call: event.call,
      }))
    case 'tool_progress':
      return changeCall(run, event.message_id, (call) => ({ ...call, progress: event.progress }))
    case 'tool_question':
      return changeCall(run, event.message_id, ({ question: _, ...call }) =>
        event.question === null ? call : { ...call, question: event.question },
      )
    case 'tool_result':
      return addResult(run, event.message)
    case 'reply':
      return { ...run, messages: [...run.messages, event.assistant_message] }
    case 'message':
      return { ...run, messages: [...run.messages, event.message] }
    case 'notice':
      return changeReply(run, (reply) => addNotice(reply, event.notice))
    case 'left_out_tools':
      return changeReply(run, (reply) => ({ ...reply, left_out_tools: event.left_out_tools }))
    case 'compacting':
      return changeReply(run, (reply) => setCompacting(reply, event.message_count))
    case 'error':
      return changeReply(run, (reply) => ({ ...reply, error: event.error }))
    case 'ended':
      return { ...changeReply(run, (reply) => endReply(reply, event)), status: event.status }
    default:
      // The other types change no message, nor does an unknown type from a newer version.
      return run
  }
}

/** Adds the result of a tool and marks its call as answered. */
function addResult(run: RunState, result: Message): RunState {
  const answered = changeCall(
    run,
    result.parent_id,
    ({ progress: _, question: __, running_since: ___, ...call }) => ({
      ...call,
      state: 'answered',
    }),
  )
  return { ...answered, messages: [...answered.messages, result] }
}

/** A reply can have several notices. One that it already has, for example from an earlier attempt, is not repeated. */
function addNotice(reply: Message, notice: string): Message {
  if (reply.notice?.includes(notice) === true) return reply
  return { ...reply, notice: reply.notice === undefined ? notice : `${reply.notice} ${notice}` }
}

function setCompacting({ compacting: _, ...reply }: Message, count: number | null): Message {
  return count === null ? reply : { ...reply, compacting: count }
}

/** Changes the last message of a run, if it is a reply. */
function changeReply(run: RunState, change: (reply: Message) => Message): RunState {
  const reply = run.messages.at(-1)
  if (reply?.role !== 'assistant') return run
  return { ...run, messages: [...run.messages.slice(0, -1), change(reply)] }
}

function changeCall(run: RunState, messageId: string | null, change: (call: ToolCall) => ToolCall): RunState {
  const index = run.messages.findLastIndex(({ id }) => id === messageId)
  const message = run.messages[index]
  if (message?.call === undefined) return run
  return { ...run, messages: run.messages.with(index, { ...message, call: change(message.call) }) }
}

/** Sets the status of the reply at the end of the run. A reply that called a tool is already complete. */
function endReply(reply: Message, { status, finish }: EndedEvent): Message {
  if (reply.status !== 'streaming') return reply
  const { compacting: _, ...rest } = reply
  const ended = { ...rest, status, ...(finish === undefined ? {} : { finish }) }
  return status === 'failed' ? showFailure(ended) : ended
}

/** Returns a failed reply for display: the error in place of the text, and the text so far in `partial`. */
export function showFailure(reply: Message): Message {
  const partial = textOfContent(reply.content)
  return {
    ...reply,
    content: withText(reply.content, `**Error:** ${reply.error?.message ?? 'Unknown error occurred'}`),
    ...(partial === '' ? {} : { partial }),
  }
}
