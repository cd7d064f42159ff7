import { join } from 'node:path'
import { rootFolder } from '../bin/run-command.mjs'
import { bundleServer } from './bundle-server.mjs'

// Bundles the server into the given folder, by default `server/dist`. `build.mjs` runs this in a process of its own.
try {
  await bundleServer(['main.ts', 'yonder.ts'], process.argv[2] ?? join(rootFolder, 'server/dist'))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
