import { emptyBot } from '../../bots/bot-fields.ts'
import type { BotRow } from '../../db/tables/tables.ts'

/** The row of a bot. A test passes only the fields that matter to it. */
export function botRow(fields: Partial<BotRow> = {}): BotRow {
  return {
    id: 'bot',
    user_id: 'ada',
    name: 'Helper',
    model: 'm',
    ...emptyBot,
    is_default: 0,
    created_at: 1,
    ...fields,
  }
}
