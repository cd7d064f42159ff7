import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** A program or a module that `scripts/provide-test-programs.mjs` bundles, below `server`. */
export type Program =
  | 'main.ts'
  | 'seed.ts'
  | 'yonder.ts'
  | 'db/backup/restore-backup.ts'
  | 'config/config.ts'
  | 'db/migrate.ts'
  | 'db/open-database.ts'
  | 'db/dialects/sqlite-file.ts'
  | 'db/secrets/require-secret-key.ts'
  | 'testing/chat/run-chat-node.ts'
  | 'testing/hostile-mcp/hostile-mcp-server.ts'

/** The parameters with which Node runs a program: its bundle, or its source where nothing was bundled. */
export function programParameters(program: Program): readonly string[] {
  const folder = process.env['TEST_PROGRAMS']
  return folder === undefined
    ? ['--import', 'tsx', fileURLToPath(new URL(`../${program}`, import.meta.url))]
    : [bundlePath(folder, program)]
}

/** The address from which a script of `runScript` imports a bundled module. */
export function moduleUrl(program: Program): string {
  return pathToFileURL(bundlePath(process.env['TEST_PROGRAMS'] ?? '', program)).href
}

function bundlePath(folder: string, program: Program): string {
  return join(folder, `${basename(program, '.ts')}.js`)
}
