import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { rootFolder } from './run-command.mjs'

/** Native modules and what only they need stay outside; everything else goes into the bundle, which starts faster. */
const external = ['better-sqlite3', 'pg-native']

/**
 * Bundles the server into `server/dist`: `main.js`, and one file for each worker thread (`*-worker.ts`) under its own
 * name, because a worker starts from a file.
 */
export async function buildServer() {
  const { build } = await import('rolldown')
  const folder = join(rootFolder, 'server')
  await build({
    input: Object.fromEntries(
      ['main.ts', ...listWorkers(folder)].map((path) => [basename(path, '.ts'), join(folder, path)]),
    ),
    external,
    platform: 'node',
    transform: { target: 'node20' },
    logLevel: 'warn',
    // A library of the embedded provider names its deprecated functions by it.
    checks: { eval: false },
    output: {
      dir: join(folder, 'dist'),
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name]-[hash].js',
      cleanDir: true,
    },
  })
}

/** @param {string} folder */
function listWorkers(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('-worker.ts') && !/(^|[/\\])(dist|node_modules)[/\\]/.test(path),
  )
}
