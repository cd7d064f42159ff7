import { runTool } from '../bin/run-command.mjs'
import { installConformanceTests } from './install-conformance-tests.mjs'
import { setUp } from './setup.mjs'

await setUp()
if (await installConformanceTests()) {
  const { code } = await runTool('vitest/vitest.mjs', [
    'run',
    'server/connectors/mcp/protocol-conformance.test.ts',
  ])
  process.exitCode = code
} else {
  process.exitCode = 1
}
