import { findNodeProblem } from '../../../bin/node-version.mjs'
import packageJson from '../../package.json' with { type: 'json' }
import { messageOf, ok, problem, type Check } from './finding.ts'

/** The version of Node, and the module for SQLite where it is used. */
export const programCheck: Check = {
  name: 'program',
  async run({ config }) {
    const { node } = process.versions
    const old = findNodeProblem(node)
    const findings = [
      old === undefined
        ? ok(`Yonder ${packageJson.version} on Node ${node} (${process.platform} ${process.arch}).`)
        : problem(old),
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
