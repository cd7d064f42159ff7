import { findNewestTime, readDatabaseClock } from '../../db/inspect-database.ts'
import type { Check } from './finding.ts'

/** Milliseconds since 1970. No correct clock is before the first release. */
const minTime = Date.UTC(2026, 0, 1)
/** Milliseconds by which a time that was stored on another node may be ahead. */
const maxAheadMs = 60_000
/**
 * Seconds by which the clocks of this machine and of the database differ: from the first number on a warning, from the
 * second on a problem, because two nodes may then differ by the 60 seconds that the check of tokens allows.
 */
const minWarningSeconds = 2
const minProblemSeconds = 30

const advice = 'Set the clock, and let a service such as systemd-timesyncd or chrony keep it right.'

/**
 * The clock of this machine: whether it can be right, also compared with the database's clock and with stored times.
 */
export const clockCheck: Check = {
  name: 'clock',
  async run({ now, database }, report) {
    const time = new Date(now()).toISOString()
    if (now() < minTime) {
      report.problem(`The clock of this machine shows ${time}, which is in the past. ${advice}`)
      return undefined
    }
    const newest = database === null ? null : await findNewestTime(database.db)
    if (newest !== null && newest - now() > maxAheadMs)
      report.problem(
        `The clock of this machine shows ${new Date(now()).toISOString()}, but data was stored at ${new Date(newest).toISOString()}. The clock is wrong now, or was wrong then. ${advice}`,
      )
    if (database?.dialect.kind === 'postgres') {
      const seconds = Math.abs((await readDatabaseClock(database)) - now()) / 1_000
      const message = `The clocks of this machine and of the database differ by ${Math.round(seconds)} s. ${advice}`
      if (seconds >= minProblemSeconds) report.problem(message)
      else if (seconds >= minWarningSeconds) report.warning(message)
    }
    return `The clock shows ${time}.`
  },
}
