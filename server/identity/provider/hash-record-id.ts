import { createHash } from 'node:crypto'

/** What stands in the table in place of a code, a token or a session id. */
export function hashRecordId(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
