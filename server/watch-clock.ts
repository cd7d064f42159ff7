import type { Database } from './db/database.ts'
import { describeClockDifference, readClockDifference } from './db/inspect-database.ts'

const intervalMs = 600_000

/**
 * Warns at once, and every ten minutes, while the clock of this machine differs from that of the database: nodes
 * compare times that others have stored, and refuse tokens from the future. SQLite has the clock of this machine.
 */
export function watchClock(
  database: Database,
  warn: (text: string) => void,
  now: () => number,
): { readonly checked: Promise<void> } {
  if (database.dialect.kind === 'sqlite') return { checked: Promise.resolve() }
  const check = async (): Promise<void> => {
    // When it does not respond, others say so.
    const differenceMs = await readClockDifference(database, now).catch(() => 0)
    const text = describeClockDifference(differenceMs)
    if (text !== null) warn(text)
  }
  setInterval(() => void check(), intervalMs).unref()
  return { checked: check() }
}
