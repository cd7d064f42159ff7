import { showFailure } from '@yonder/contract/apply-event'
import { errorCodes } from '@yonder/contract/error'
import type { ErrorCode } from '@yonder/contract/error'
import { cutReasons, messageStatuses, Usage } from '@yonder/contract/message'
import type { Message } from '@yonder/contract/message'
import { toolCallStates, ToolOutcome } from '@yonder/contract/tool-call'
import type { ToolCall } from '@yonder/contract/tool-call'
import type { MessageRow } from '../db/tables/tables.ts'
import { parseCall } from './stored-call.ts'

/** A message as its owner reads it. A failed reply shows its error, as the reducer of the stream does. */
export function presentMessage(row: MessageRow): Message {
  const message: Message = {
    id: row.id,
    parent_id: row.parent_id,
    role: row.role === 'assistant' ? 'assistant' : 'user',
    content: row.content,
    timestamp: new Date(row.unix_timestamp).toISOString(),
    unix_timestamp: row.unix_timestamp,
    status: messageStatuses.find((status) => status === row.status) ?? 'interrupted',
    ...omitNulls({
      reasoning: row.reasoning,
      model: row.model,
      provider: row.provider,
      bot: row.bot,
      server: row.server,
      tool: row.tool,
      arguments: row.arguments,
      call: presentCall(row),
      outcome: row.outcome === null ? null : ToolOutcome.parse(JSON.parse(row.outcome)),
      notice: row.notice,
      finish: cutReasons.find((reason) => reason === row.finish) ?? null,
      usage: row.usage === null ? null : Usage.parse(JSON.parse(row.usage)),
      error:
        row.error_code === null ? null : { code: codeOf(row.error_code), message: row.error_message ?? '' },
    }),
  }
  return message.status === 'failed' ? showFailure(message) : message
}

/** The public state of a call, without the data for its model and connector. */
function presentCall({ call, call_state }: MessageRow): ToolCall | null {
  const state = toolCallStates.find((known) => known === call_state)
  if (call === null || state === undefined) return null
  const { title, changes, fingerprint } = parseCall(call)
  const base = { state, ...(title === undefined ? {} : { title }) }
  if (state !== 'waiting') return base
  return {
    ...base,
    ...(changes === undefined ? {} : { changes: [...changes] }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  }
}

/** Leaves out the fields that are null: a chat may have thousands of messages, and most fields of most are null. */
function omitNulls<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  const filled: { [Name in keyof Fields]?: NonNullable<Fields[Name]> } = {}
  for (const name in fields) {
    const value = fields[name]
    if (value !== null) filled[name] = value as NonNullable<typeof value>
  }
  return filled
}

function codeOf(code: string): ErrorCode {
  return errorCodes.find((known) => known === code) ?? 'internal'
}
