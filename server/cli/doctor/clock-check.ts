import {
  clockAdvice as advice,
  describeClockDifference,
  findNewestTime,
  readClockDifference,
} from '../../db/inspect-database.ts'
import type { Check } from './finding.ts'

/** Milliseconds since 1970. No correct clock is before the first release. */
const minTime = Date.UTC(2026, 0, 1)
/** Milliseconds by which a time that was stored on another node may be ahead. */
const maxAheadMs = 60_000
/** From this difference on, two nodes may differ by the 60 seconds that the check of tokens allows. */
const minProblemMs = 30_000

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
      const differenceMs = await readClockDifference(database, now)
      const message = describeClockDifference(differenceMs)
      if (message !== null) report[differenceMs >= minProblemMs ? 'problem' : 'warning'](message)
    }
    return `The clock shows ${time}.`
  },
}
