import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'rolldown'
import { rootFolder } from './run-command.mjs'

/** A native module that is not installed. Everything else but SQLite goes into the bundle, which starts faster. */
const external = ['pg-native']

const folder = join(rootFolder, 'server')

/**
 * Bundles programs of the server into a folder, each under its own name, together with every worker thread
 * (`*-worker.ts`), because a worker starts from a file.
 *
 * @param {readonly string[]} programs paths below `server`
 * @param {string} output
 */
export async function bundleServer(programs, output) {
  await build({
    input: Object.fromEntries(
      [...programs, ...listWorkers()].map((path) => [basename(path, '.ts'), join(folder, path)]),
    ),
    external,
    platform: 'node',
    transform: { target: 'node20' },
    logLevel: 'warn',
    // A library of the embedded provider names its deprecated functions by it.
    checks: { eval: false },
    output: {
      dir: output,
      format: 'esm',
      entryFileNames: '[name].js',
      // Beside the entries: shared code names a worker's file relative to itself.
      chunkFileNames: '[name]-[hash].js',
    },
  })
}

function listWorkers() {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('-worker.ts') && !/(^|[/\\])(dist|node_modules)[/\\]/.test(path),
  )
}
