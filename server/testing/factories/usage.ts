import type { UsageRecordRow } from '../../db/tables/tables.ts'
import { newId } from '../../lib/new-id.ts'

/** The row of a call of a model. A test passes only the fields that matter to it. */
export function usageRecord(fields: Partial<UsageRecordRow> = {}): UsageRecordRow {
  return {
    id: newId(),
    user_id: 'ada',
    chat_id: 'c',
    message_id: 'm',
    kind: 'reply',
    bot_id: 'b',
    bot: 'B',
    model: 'm',
    provider: null,
    time: 1,
    input_tokens: 1,
    output_tokens: 1,
    cached_tokens: null,
    cache_write_tokens: null,
    reasoning_tokens: null,
    cost: null,
    currency: null,
    duration_ms: null,
    first_text_ms: null,
    ...fields,
  }
}
