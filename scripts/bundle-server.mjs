import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'rolldown'
import { rootFolder } from '../bin/run-command.mjs'
import { listLicences } from './list-licences.mjs'

/**
 * A native module that is not installed. Every other package goes into the bundle, which starts faster, except
 * SQLite's: it is loaded under a name that is computed (`sqlite-file.ts`), so the bundler does not see it.
 */
const external = ['pg-native']

/**
 * Optional parts of libraries that we never use: OpenAPI documents in YAML, and routes for the files of a folder.
 *
 * @type {Record<string, false>}
 */
const unused = { yaml: false, glob: false }

/**
 * Shortens the names of local variables, which saves the server 10 MB of memory. Classes keep their names, because the
 * library of the embedded provider stores them. Functions keep their names, and lines stay as they are, for stack
 * traces.
 *
 * @type {import('rolldown').MinifyOptions}
 */
const minify = { mangle: { keepNames: true }, compress: false, codegen: { removeWhitespace: false } }

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
    resolve: { alias: unused },
    plugins: [escapeCharacters, listLicences],
    platform: 'node',
    transform: { target: 'node22' },
    logLevel: 'warn',
    // A package that is not installed, for example one that only tests are said to need, would be missing at run time.
    onLog: (level, log, print) => print(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
    // The embedded provider depends on an old `depd`, which wraps deprecated functions with `eval`.
    checks: { eval: false },
    output: {
      dir: output,
      format: 'esm',
      minify,
      entryFileNames: '[name].js',
      // Beside the entries: shared code names a worker's file relative to itself.
      chunkFileNames: '[name]-[hash].js',
    },
  })
}

/**
 * V8 stores a file in memory with two bytes for each character when any of them does not fit into one byte, which costs
 * 3 MB. This must be the last step, because the minifier would replace the escapes by the characters.
 *
 * @type {import('rolldown').Plugin}
 */
const escapeCharacters = {
  name: 'escape-characters',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue
      chunk.code = chunk.code.replace(
        /[\u0100-\uffff]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    }
  },
}

function listWorkers() {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('-worker.ts') && !/(^|[/\\])(dist|node_modules)[/\\]/.test(path),
  )
}
