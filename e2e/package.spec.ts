import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from '@playwright/test'
import { freePort } from '../server/testing/free-port.ts'
import { test } from './support/packed.ts'

// The tests of a worker share one packed package.
test.describe.configure({ mode: 'default' })

const dataFolderIn = (home: string) => join(home, '.local/share/yonder')
const startOn = async (...parameters: string[]) => [
  'start',
  '--port',
  String(await freePort()),
  ...parameters,
]

test('the package serves the compressed web app, from a folder with spaces and letters of any language', async ({
  packed,
}) => {
  const base = await packed.start(await startOn()).listening()
  const page = await (await fetch(base)).text()
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? ''
  for (const encoding of ['br', 'gzip']) {
    const response = await fetch(base + script, { headers: { 'accept-encoding': encoding } })
    expect([response.status, response.headers.get('content-encoding')]).toEqual([200, encoding])
    expect((await response.text()).length).toBeGreaterThan(10_000)
  }
  expect((await fetch(`${base}/readyz`)).status).toBe(200)
})

test('the package needs only SQLite, and names the licence of every package in it', async ({ packed }) => {
  const read = (path: string) => readFileSync(join(packed.root, path), 'utf8')
  const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, unknown>>
  // An optional one would be left out by the npm of Node 20, because its `engines` want a newer Node.
  expect(manifest['optionalDependencies']).toBeUndefined()
  expect(Object.keys(manifest['dependencies'] ?? {})).toEqual(['better-sqlite3'])
  expect(
    ['install', 'preinstall', 'postinstall'].filter((name) => name in (manifest['scripts'] ?? {})),
  ).toEqual([])
  expect(readdirSync(packed.root).toSorted()).toEqual(
    expect.not.arrayContaining(['contract', 'node_modules', 'e2e']),
  )
  const paths = readdirSync(packed.root, { encoding: 'utf8', recursive: true })
  expect(paths).toContain(join('server', 'dist', 'THIRD-PARTY.md'))
  // The pages for operators say to copy these.
  for (const copied of [
    'proxies/nginx.conf',
    'proxies/Caddyfile',
    'proxies/haproxy.cfg',
    'systemd/yonder.service',
  ])
    expect(paths).toContain(join('deploy', copied))
  const ofTests = /\.(test|spec)\.|(^|[/\\])(testing|fixtures)([/\\]|$)/
  expect(paths.filter((path) => ofTests.test(path))).toEqual([])
  const server = read('server/dist/THIRD-PARTY.md')
  const web = read('web/dist/THIRD-PARTY.md')
  for (const name of ['fastify', 'oidc-provider', 'kysely'])
    expect(server).toMatch(new RegExp(`^## ${name} \\d`, 'm'))
  for (const name of ['react', 'katex']) expect(web).toMatch(new RegExp(`^## ${name} - \\d`, 'm'))
})

test('without a setting the data is in the folder of the user, from every working folder and for every command', async ({
  packed,
}) => {
  const folder = dataFolderIn(packed.home)
  const started = packed.start(await startOn())
  await started.listening()
  expect(started.output()).toContain(`Its data is in ${folder}\n`)
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['secret.key', 'yonder.sqlite']))
  const other = join(packed.folder, 'another folder')
  mkdirSync(other)
  expect((await packed.run(['users', 'list', '--json'], { cwd: other })).code).toBe(0)
  expect(readdirSync(other)).toEqual([])
})

test('data in ./data, a setting in .env, DATA_DIR and --data take precedence, in this order', async ({
  packed,
}) => {
  // Five starts.
  test.slow()
  const at = (name: string) => join(packed.folder, name)
  mkdirSync(at('data'))
  const findsDataIn = async (name: string, parameters: readonly string[] = [], env = {}) => {
    const started = packed.start(await startOn(...parameters), { env })
    await started.listening()
    expect(started.output()).toContain(`Its data is in ${at(name)}\n`)
    await started.stop()
  }
  // A folder without data is not used.
  await packed.start(await startOn()).listening()
  expect(readdirSync(at('data'))).toEqual([])
  writeFileSync(at('data/secret.key'), randomBytes(32).toString('hex'))
  await findsDataIn('data')
  writeFileSync(at('.env'), 'DATA_DIR=from-file\n')
  await findsDataIn('from-file')
  await findsDataIn('from-environment', [], { DATA_DIR: 'from-environment' })
  await findsDataIn('from-option', ['--data', 'from-option'], { DATA_DIR: 'from-environment' })
})

test('a data folder that cannot be written ends the start with one sentence', async ({ packed }) => {
  const home = join(packed.folder, 'no folder')
  writeFileSync(home, '')
  const { code, output } = await packed.run(await startOn(), { env: { HOME: home } })
  expect([code, output]).toEqual([
    1,
    `Yonder cannot write to ${dataFolderIn(home)}, because its path is not possible here (ENOTDIR). Choose another data folder with --data or DATA_DIR.\n`,
  ])
})

test('a port in use ends the start with one sentence', async ({ packed }) => {
  const other = createServer().listen(await freePort(), '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const { code, output } = await packed.run(['start', '--port', String(port)])
  other.close()
  expect([code, output]).toEqual([
    1,
    `Port ${port} of 127.0.0.1 is in use by another program, which may be another Yonder. Stop it, or choose another port with --port or PORT.\n`,
  ])
})

test('an unknown option or command is named, and starts nothing', async ({ packed }) => {
  for (const [wrong, ...parameters] of [
    ['--prot', 'start', '--prot', '3000'],
    ['strat', 'strat'],
  ]) {
    const { code, output } = await packed.run(parameters)
    expect(code).toBe(2)
    expect(output).toContain(wrong)
    expect(output).not.toContain('    at ')
  }
  expect(existsSync(dataFolderIn(packed.home))).toBe(false)
})
