import type { EndedStatus, UnnumberedEvent } from '@yonder/contract/completion'
import type { Message } from '@yonder/contract/message'
import { textOfMessage, withText } from '@yonder/contract/message-text'
import { listChildren, isToolResult } from '../../chats/message-store.ts'
import { presentMessage } from '../../chats/present-chat.ts'
import type { Db } from '../../db/database.ts'
import type { MessageRow } from '../../db/tables/tables.ts'
import type { SseStream } from '../../http/sse.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { followRun } from '../log/read-run.ts'
import { EventBatch } from '../log/run-recorder.ts'
import { findLatestRun } from '../log/run-store.ts'
import { logRetentionMs } from '../maintenance/run-maintenance.ts'
import type { RunCursor } from '../run.ts'
import { findCursor } from './continue-run.ts'
import type { RepeatedRequest } from './send-message.ts'

/**
 * Sends the reply of a repeated request, from the log of its run or, once that is removed, from the stored messages.
 */
export async function repeatReply(
  deps: Pick<CompletionDeps, 'database' | 'runs' | 'notifications' | 'now' | 'onEnded' | 'onError'>,
  openStream: () => SseStream,
  { message, cursor }: RepeatedRequest,
): Promise<void> {
  const { db } = deps.database
  const below = await listChildren(db, message.chat_id, message.id)
  const reply = below.find(({ role }) => role === 'assistant')
  const start =
    cursor ?? (reply && ((await findStart(deps, reply)) ?? (await findAdded(deps, message, reply))))
  const stream = openStream()
  if (start !== undefined) return followRun(deps, stream, { ...start, numbered: false })
  if (reply === undefined) return stream.end()
  const turn = await listTurn(db, reply)
  stream.end(replayRun(presentMessage(message), turn.map(presentMessage)).frames(false))
}

async function findStart(
  deps: Pick<CompletionDeps, 'database' | 'now'>,
  reply: MessageRow,
): Promise<RunCursor | undefined> {
  const { db, dialect } = deps.database
  const run = await findLatestRun(db, dialect, reply.chat_id, reply.id)
  return run === undefined || hasExpiredLog(deps, run) ? undefined : { runId: run.id, after: 0 }
}

/** Returns the position after a message that went into a running reply, as far as its log is stored. */
async function findAdded(
  { database: { db } }: Pick<CompletionDeps, 'database'>,
  message: MessageRow,
  reply: MessageRow,
): Promise<RunCursor | undefined> {
  if (reply.status !== 'streaming') return undefined
  return findCursor(db, message)
}

/** True when the log of a run has been removed, or may be removed at any moment. Its text is stored in the messages. */
export function hasExpiredLog(
  { now }: Pick<CompletionDeps, 'now'>,
  run: { readonly ended_at: number | null },
): boolean {
  return run.ended_at !== null && now() - run.ended_at > logRetentionMs
}

/** Returns a reply and the chain of results and replies that follows it; of several siblings, the newest. */
async function listTurn(db: Db, reply: MessageRow): Promise<MessageRow[]> {
  const turn = [reply]
  for (;;) {
    const last = turn.at(-1) ?? reply
    const children = await listChildren(db, last.chat_id, last.id)
    const next = children.findLast((message) =>
      isToolResult(last) ? message.role === 'assistant' : isToolResult(message),
    )
    if (next === undefined) return turn
    turn.push(next)
  }
}

/**
 * Creates the events of a run from its messages, after its log was removed. Applied in order, the events yield these
 * messages.
 */
export function replayRun(userMessage: Message, turn: readonly Message[]): EventBatch {
  const events = listTurnEvents(userMessage, turn).map(({ type, ...rest }, index) => {
    const seq = index + 1
    return { seq, json: JSON.stringify({ type, seq, ...rest }) }
  })
  return new EventBatch(events, { isEnd: true })
}

function listTurnEvents(userMessage: Message, turn: readonly Message[]): UnnumberedEvent[] {
  const events = turn.flatMap((message, index): UnnumberedEvent[] => {
    if (message.role === 'user') {
      return [{ type: 'tool_result', role: 'user', content: message.content, message }]
    }
    const assistant_message = toEmpty(message)
    return [
      index === 0
        ? { type: 'started', user_message: userMessage, assistant_message }
        : { type: 'reply', assistant_message },
      ...listReplyEvents(message, index < turn.length - 1),
    ]
  })
  const last = turn.at(-1)
  return [...events, { type: 'ended', status: endOf(last), ...(last?.finish && { finish: last.finish }) }]
}

/** Returns a reply as it was before anything was written into it. */
function toEmpty(reply: Message): Message {
  const { id, parent_id, role, timestamp, unix_timestamp, model, bot, selected_at } = reply
  return {
    id,
    parent_id,
    role,
    timestamp,
    unix_timestamp,
    content: withText(reply.content, ''),
    status: 'streaming',
    ...(model !== undefined && { model }),
    ...(bot !== undefined && { bot }),
    ...(selected_at !== undefined && { selected_at }),
  }
}

function listReplyEvents(reply: Message, isAnswered: boolean): UnnumberedEvent[] {
  const { reasoning, usage, error, provider, notice, left_out_tools, call, server = '', tool = '' } = reply
  const text = textOfMessage(reply)
  const events: UnnumberedEvent[] = []
  if (provider !== undefined) events.push({ type: 'model', model: reply.model ?? '', provider })
  if (reasoning !== undefined) {
    events.push({ type: 'reasoning', choices: [{ delta: { reasoning_content: reasoning } }] })
  }
  if (text !== '') events.push({ type: 'text', choices: [{ delta: { content: text } }] })
  if (usage !== undefined) events.push({ type: 'usage', usage })
  if (notice !== undefined) events.push({ type: 'notice', notice })
  if (left_out_tools !== undefined) events.push({ type: 'left_out_tools', left_out_tools })
  if (error !== undefined) events.push({ type: 'error', error })
  if (call !== undefined) {
    events.push({
      type: 'tool_call',
      message_id: reply.id,
      server,
      tool,
      arguments: reply.arguments ?? '{}',
      plainContent: text,
      // The event of the result sets the state `answered`.
      call: isAnswered ? { ...call, state: 'running' } : call,
    })
  }
  return events
}

/** Returns the status of a run that ended with this message. After a tool's result it was stopped or interrupted. */
function endOf(last: Message | undefined): EndedStatus {
  if (last?.role === 'user') return last.outcome?.status === 'interrupted' ? 'interrupted' : 'stopped'
  return last === undefined || last.status === 'streaming' ? 'interrupted' : last.status
}
