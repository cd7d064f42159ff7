import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rootFolder, runCommand, runTool } from '../bin/run-command.mjs'
import { hashSources } from './hash-sources.mjs'
import { setUp } from './setup.mjs'

const shared = ['contract', 'package-lock.json', 'tsconfig.base.json']
const cacheFolder = join(rootFolder, '.cache')

/** The parts of the build. `proof` is a file that exists after a successful build. */
const parts = [
  {
    name: 'server',
    sources: [
      ...shared,
      'bin',
      'server',
      'scripts/build-server.mjs',
      'scripts/bundle-server.mjs',
      'scripts/list-licences.mjs',
    ],
    folder: join(rootFolder, 'server/dist'),
    proof: 'main.js',
    build: buildServer,
  },
  {
    name: 'web',
    sources: [...shared, 'web'],
    folder: join(rootFolder, 'web/dist'),
    proof: 'index.html',
    build: buildWeb,
  },
]

/** Builds the parts whose sources have changed, in parallel. Throws when a build fails. */
export async function buildStale() {
  const stale = parts
    .map((part) => ({ ...part, hash: hashSources(rootFolder, part.sources) }))
    .filter(({ name, folder, proof, hash }) => !existsSync(join(folder, proof)) || readStamp(name) !== hash)
  if (stale.length === 0) return
  console.log(`Building ${stale.map(({ name }) => name).join(' and ')} …`)
  const started = Date.now()
  mkdirSync(cacheFolder, { recursive: true })
  await Promise.all(
    stale.map(async ({ name, hash, folder, build }) => {
      await buildInto(folder, build)
      writeFileSync(stampPath(name), hash)
    }),
  )
  console.log(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s.`)
}

/**
 * Builds into a temporary folder and then moves it into place, so that neither a failed build nor two builds at the
 * same time leave an incomplete one.
 *
 * @param {string} folder
 * @param {(output: string) => Promise<void>} build
 */
async function buildInto(folder, build) {
  const temporary = mkdtempSync(join(cacheFolder, 'build-'))
  try {
    await build(temporary)
    // The server may run as another user than the one who builds it.
    chmodSync(temporary, 0o755)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(dirname(folder), { recursive: true })
    renameSync(temporary, folder)
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** @param {string} output */
async function buildServer(output) {
  const { code } = await runCommand(process.execPath, ['scripts/build-server.mjs', output])
  if (code !== 0) throw new Error('The server could not be built. The reason is printed above.')
}

/** @param {string} output */
async function buildWeb(output) {
  const { code } = await runTool(
    'vite/bin/vite.js',
    ['build', '--logLevel', 'warn', '--outDir', output, '--emptyOutDir'],
    { cwd: join(rootFolder, 'web'), env: { NODE_ENV: 'production' } },
  )
  if (code !== 0) throw new Error('The web app could not be built. The reason is printed above.')
}

/** @param {string} name */
function stampPath(name) {
  return join(cacheFolder, `built-${name}`)
}

/** @param {string} name */
function readStamp(name) {
  return existsSync(stampPath(name)) ? readFileSync(stampPath(name), 'utf8') : ''
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await setUp({ withTests: false })
  try {
    await buildStale()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
