import { buildStale } from './build.mjs'
import { rootFolder } from './run-command.mjs'
import { setUp } from './setup.mjs'

await setUp()
try {
  await buildStale()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

// The server runs in this very process, so signals reach it directly and nothing stays in memory beside it.
process.chdir(rootFolder)
process.env['NODE_ENV'] = 'production'
await import(new URL('../server/dist/main.js', import.meta.url).href)
