import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compressFiles } from './compress-files.mjs'
import { hashSources } from './hash-sources.mjs'
import { rootFolder, runCommand, runTool } from './run-command.mjs'
import { setUp } from './setup.mjs'

const shared = ['contract', 'package-lock.json', 'tsconfig.base.json']

/** What is built, from which sources, and the file that proves it was. */
const parts = [
  {
    name: 'server',
    sources: [...shared, 'server', 'scripts/build-server.mjs'],
    product: 'server/dist/main.js',
    build: buildServer,
  },
  {
    name: 'web',
    sources: [...shared, 'web', 'scripts/compress-files.mjs'],
    product: 'web/dist/index.html',
    build: buildWeb,
  },
]

/** Builds whatever its sources have left behind, both parts at once. Throws when a part cannot be built. */
export async function buildStale() {
  const stale = parts
    .map((part) => ({ ...part, hash: hashSources(rootFolder, part.sources) }))
    .filter(({ name, product, hash }) => !existsSync(join(rootFolder, product)) || readStamp(name) !== hash)
  if (stale.length === 0) return
  console.log(`Building ${stale.map(({ name }) => name).join(' and ')} …`)
  const started = Date.now()
  await Promise.all(
    stale.map(async ({ name, hash, build }) => {
      await build()
      writeStamp(name, hash)
    }),
  )
  console.log(`Built in ${((Date.now() - started) / 1000).toFixed(1)} s.`)
}

async function buildServer() {
  const { code } = await runCommand(process.execPath, [join(rootFolder, 'scripts/build-server.mjs')])
  if (code !== 0) throw new Error('The server could not be built; the reason is above.')
}

async function buildWeb() {
  const { code } = await runTool('vite/bin/vite.js', ['build', '--logLevel', 'warn'], {
    cwd: join(rootFolder, 'web'),
    env: { NODE_ENV: 'production' },
  })
  if (code !== 0) throw new Error('The web part could not be built; the reason is above.')
  await compressFiles(join(rootFolder, 'web/dist'))
}

/** @param {string} name */
function stampPath(name) {
  return join(rootFolder, '.cache', `built-${name}`)
}

/** @param {string} name */
function readStamp(name) {
  return existsSync(stampPath(name)) ? readFileSync(stampPath(name), 'utf8') : ''
}

/**
 * @param {string} name
 * @param {string} hash
 */
function writeStamp(name, hash) {
  mkdirSync(dirname(stampPath(name)), { recursive: true })
  writeFileSync(stampPath(name), hash)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await setUp()
  try {
    await buildStale()
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    process.exitCode = 1
  }
}
