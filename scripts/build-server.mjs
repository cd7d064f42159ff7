import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'rolldown'
import { rootFolder } from './run-command.mjs'

/** A native module that nobody installs. Everything else but SQLite goes into the bundle, which starts faster. */
const external = ['pg-native']

const folder = join(rootFolder, 'server')

const output = process.argv[2] ?? join(folder, 'dist')

// Bundles the server into the given folder: `main.js`, and one file for each worker thread (`*-worker.ts`) under its own
// name, because a worker starts from a file.
try {
  await build({
    input: Object.fromEntries(
      ['main.ts', ...listWorkers()].map((path) => [basename(path, '.ts'), join(folder, path)]),
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
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function listWorkers() {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('-worker.ts') && !/(^|[/\\])(dist|node_modules)[/\\]/.test(path),
  )
}
