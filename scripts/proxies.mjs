import { runTool } from '../bin/run-command.mjs'
import { provideProxies } from './provide-proxies.mjs'
import { setUp } from './setup.mjs'

// Tests the examples of `deploy/proxies/` with nginx, Caddy and HAProxy, and PostgreSQL behind PgBouncer, all of which it
// installs.
await setUp()
await provideProxies()
const { code } = await runTool('vitest/vitest.mjs', [
  'run',
  'server/http/proxies.test.ts',
  'server/db/pgbouncer.test.ts',
])
process.exitCode = code
