import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundleServer } from './bundle-server.mjs'
import { rootFolder } from './run-command.mjs'

/** The programs that tests start as separate processes, below `server`. */
const programs = ['main.ts', 'testing/chat/run-chat-node.ts']

/** @type {string | undefined} */
let folder

/**
 * Bundles the programs once for a test run, because tests start about a hundred processes, and a bundled program starts in
 * a third of a second instead of two. Tests read the folder with `inject('programs')`.
 *
 * @param {{ readonly provide: (key: 'programs', folder: string) => void }} project
 */
export async function setup(project) {
  const cache = join(rootFolder, '.cache')
  mkdirSync(cache, { recursive: true })
  // Below the root, so that packages which are not bundled are found from there.
  folder = mkdtempSync(join(cache, 'test-programs-'))
  await bundleServer(programs, folder)
  project.provide('programs', folder)
}

export function teardown() {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
}
