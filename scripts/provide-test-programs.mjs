import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rootFolder } from '../bin/run-command.mjs'
import { bundleServer } from './bundle-server.mjs'

/**
 * The programs that tests start as separate processes, and the modules that the scripts of
 * `server/testing/run-script.ts` import. The paths are below `server`.
 */
const programs = [
  'main.ts',
  'seed.ts',
  'yonder.ts',
  'db/backup/restore-backup.ts',
  'config/config.ts',
  'db/migrate.ts',
  'db/open-database.ts',
  'db/dialects/sqlite-file.ts',
  'db/secrets/require-secret-key.ts',
  'testing/chat/run-chat-node.ts',
  'testing/hostile-mcp/hostile-mcp-server.ts',
]

/** @type {string | undefined} */
let folder

/**
 * Bundles the programs once for a test run, because tests start more than a hundred processes, and a bundled program
 * starts in a third of a second instead of two. `server/testing/program-path.ts` reads the folder from
 * TEST_PROGRAMS.
 */
export async function setup() {
  const cache = join(rootFolder, '.cache')
  mkdirSync(cache, { recursive: true })
  // Below the root, so that packages which are not bundled are found from there.
  folder = mkdtempSync(join(cache, 'test-programs-'))
  await bundleServer(programs, folder)
  process.env['TEST_PROGRAMS'] = folder
}

export function teardown() {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}
