import { join } from 'node:path'
import { bundleServer } from './bundle-server.mjs'
import { rootFolder } from './run-command.mjs'

// Bundles the server into the given folder, `server/dist` without one. A process of its own, so that a failed build ends
// with a sentence.
try {
  await bundleServer(['main.ts'], process.argv[2] ?? join(rootFolder, 'server/dist'))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
