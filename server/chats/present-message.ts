import { showFailure } from '@yonder/contract/apply-event'
import { errorCodes } from '@yonder/contract/error-codes'
import type { ErrorCode } from '@yonder/contract/error-codes'
import { cutReasons, messageStatuses, Usage } from '@yonder/contract/message'
import type { Message } from '@yonder/contract/message'
import type { MessageRow } from '../db/tables.ts'

/** A message as its owner reads it; a failed reply shows its error, as the stream's reducer does. */
export function presentMessage(row: MessageRow): Message {
  const message: Message = {
    id: row.id,
    parent_id: row.parent_id,
    role: row.role === 'assistant' ? 'assistant' : 'user',
    content: row.content,
    timestamp: new Date(row.unix_timestamp).toISOString(),
    unix_timestamp: row.unix_timestamp,
    status: messageStatuses.find((status) => status === row.status) ?? 'interrupted',
    ...optional('reasoning', row.reasoning),
    ...optional('model', row.model),
    ...optional('provider', row.provider),
    ...optional('bot', row.bot),
    ...optional('server', row.server),
    ...optional('tool', row.tool),
    ...optional('arguments', row.arguments),
    ...optional('finish', cutReasons.find((reason) => reason === row.finish) ?? null),
    ...optional('usage', row.usage === null ? null : Usage.parse(JSON.parse(row.usage))),
    ...(row.error_code === null
      ? {}
      : { error: { code: codeOf(row.error_code), message: row.error_message ?? '' } }),
  }
  return message.status === 'failed' ? showFailure(message) : message
}

function optional<Key extends string, Value>(key: Key, value: Value | null) {
  return value === null ? {} : ({ [key]: value } as Record<Key, Value>)
}

function codeOf(code: string): ErrorCode {
  return errorCodes.find((known) => known === code) ?? 'internal'
}
