import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
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
const pdfFolder = dirname(createRequire(join(folder, 'package.json')).resolve('pdfjs-dist/package.json'))

/** The files of the PDF library that its makers have minified are half as large as ours would be. */
const minified = Object.fromEntries(
  ['pdf', 'pdf.worker'].map((name) => [
    `pdfjs-dist/legacy/build/${name}.mjs`,
    join(pdfFolder, `legacy/build/${name}.min.mjs`),
  ]),
)

/**
 * Bundles programs of the server into a folder, each under its own name, together with every worker thread
 * (`*-worker.ts`) and process (`*-process.ts`), because these start from a file.
 *
 * @param {readonly string[]} programs paths below `server`
 * @param {string} output
 */
export async function bundleServer(programs, output) {
  await build({
    input: Object.fromEntries(
      [...programs, ...listParts()].map((path) => [basename(path, '.ts'), join(folder, path)]),
    ),
    external,
    resolve: { alias: { ...unused, ...minified } },
    plugins: [escapeCharacters, listLicences, addFiles],
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

/**
 * Adds the tables by which the PDF library reads Chinese, Japanese and Korean text, which it looks for as files; and what
 * tells Node that the files are modules, for a process that may read only this folder.
 *
 * @type {import('rolldown').Plugin}
 */
const addFiles = {
  name: 'add-files',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "module" }\n' })
    for (const name of readdirSync(join(pdfFolder, 'cmaps'))) {
      // No PDF refers to these; ISO 32000-1, table 118.
      if (/UTF8|UTF32|X0213/.test(name)) continue
      const source = readFileSync(join(pdfFolder, 'cmaps', name))
      this.emitFile({ type: 'asset', fileName: `cmaps/${name}`, source })
    }
  },
}

function listParts() {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /-(worker|process)\.ts$/.test(path) && !/(^|[/\\])(dist|node_modules|testing)[/\\]/.test(path),
  )
}
