import type { MessageRow } from '../db/tables/tables.ts'

/** Only what cannot change any more is shared: a reply that is being written has no end yet. */
export function canShare(message: Pick<MessageRow, 'status'>): boolean {
  return message.status !== 'streaming'
}
