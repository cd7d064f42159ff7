import packageJson from '../../package.json' with { type: 'json' }
import { messageOf, type Check } from './finding.ts'

/** The version of Node, and the module for SQLite where it is used. */
export const programCheck: Check = {
  name: 'program',
  async run({ config }, report) {
    const { node } = process.versions
    report.ok(`Yonder ${packageJson.version} on Node ${node} (${process.platform} ${process.arch}).`)
    if (config.databaseUrl !== null) return undefined
    try {
      const { openSqlite } = await import('../../db/dialects/sqlite.ts')
      await openSqlite(':memory:').close()
    } catch (error) {
      const reason = messageOf(error).replace(/\.$/, '')
      report.problem(
        `The module for SQLite does not work: ${reason}. Install Yonder again with this version of Node.`,
      )
    }
    return undefined
  },
}
