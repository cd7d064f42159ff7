import { findNewestTime, readDatabaseClock } from '../../db/inspect-database.ts'
import { ok, problem, warning, type Check, type Report } from './finding.ts'

/** Milliseconds since 1970. No correct clock is before the first release. */
const minTime = Date.UTC(2026, 0, 1)
/** Seconds by which a time that was stored on another node may be ahead. */
const maxAheadSeconds = 60
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
  async run({ now, database }) {
    const time = new Date(now()).toISOString()
    if (now() < minTime)
      return [problem(`The clock of this machine shows ${time}, which is in the past. ${advice}`)]
    if (database === null) return [ok(`The clock shows ${time}.`)]
    const findings = [
      ...describeNewest(now(), await findNewestTime(database.db)),
      ...(database.dialect.kind === 'sqlite'
        ? []
        : describeDifference(Math.abs((await readDatabaseClock(database)) - now()) / 1_000)),
    ]
    return findings.length > 0 ? findings : [ok(`The clock shows ${time}.`)]
  },
}

function describeNewest(now: number, newest: number | null): Report[] {
  const ahead = newest === null ? 0 : (newest - now) / 1_000
  if (newest === null || ahead <= maxAheadSeconds) return []
  return [
    problem(
      `The clock of this machine shows ${new Date(now).toISOString()}, but data was stored at ${new Date(newest).toISOString()}. The clock is wrong now, or was wrong then. ${advice}`,
    ),
  ]
}

function describeDifference(seconds: number): Report[] {
  if (seconds < minWarningSeconds) return []
  const message = `The clocks of this machine and of the database differ by ${Math.round(seconds)} s. ${advice}`
  return [seconds < minProblemSeconds ? warning(message) : problem(message)]
}
