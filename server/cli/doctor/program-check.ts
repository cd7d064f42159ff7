import packageJson from '../../package.json' with { type: 'json' }
import { messageOf, ok, problem, type Check } from './finding.ts'

/** The version of Node, and the module for SQLite where it is used. */
export const programCheck: Check = {
  name: 'program',
  async run({ config }) {
    const { node } = process.versions
    const findings = [
      ok(`Yonder ${packageJson.version} on Node ${node} (${process.platform} ${process.arch}).`),
    ]
    if (config.databaseUrl !== null) return findings
    try {
      const { openSqlite } = await import('../../db/dialects/sqlite.ts')
      await openSqlite(':memory:').close()
      return findings
    } catch (error) {
      const reason = messageOf(error).replace(/\.$/, '')
      return [
        ...findings,
        problem(
          `The module for SQLite does not work: ${reason}. Install Yonder again with this version of Node.`,
        ),
      ]
    }
  },
}
