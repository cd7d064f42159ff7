import { randomBytes } from 'node:crypto'
import { connectPostgres, findPostgres } from './find-postgres.mjs'

const prefix = 'yonder_test_'
/** The name has the last group only when a single test created the database (`restoreFixture`). */
const providedNames = /^yonder_test_(\d+)_[\da-f]{8}(?:_[\da-f]{8})?$/

/** @type {{ server: string, name: string } | undefined} */
let provided

/**
 * Creates an empty PostgreSQL database for a test run and sets TEST_DATABASE_URL to it. The tests create schemas there.
 * The variable is empty when this machine has no PostgreSQL. The tests then use PGlite.
 */
export async function setup() {
  if (process.env['TEST_ENGINES'] === 'sqlite') return
  const server = await findPostgres()
  if (server === undefined) {
    console.log('No PostgreSQL found. The tests of PostgreSQL run on PGlite, without those of concurrency.')
    process.env['TEST_DATABASE_URL'] = ''
    return
  }
  const name = `${prefix}${process.pid}_${randomBytes(4).toString('hex')}`
  await withClient(server, async (client) => {
    await dropAbandoned(client, server)
    await client.query(`create database ${name}`)
    // Test data need not survive a power failure, so commits do not wait for the disk.
    await client.query(`alter database ${name} set synchronous_commit = off`)
  })
  const url = new URL(server)
  url.pathname = `/${name}`
  process.env['TEST_DATABASE_URL'] = url.href
  provided = { server, name }
}

export async function teardown() {
  if (provided === undefined) return
  const { server, name } = provided
  await withClient(server, (client) => client.query(`drop database if exists ${name} with (force)`))
}

/**
 * Drops the databases of test runs that were killed. Process ids are valid on this machine only.
 *
 * @param {import('pg').Client} client
 * @param {string} server
 */
async function dropAbandoned(client, server) {
  if (!['localhost', '127.0.0.1', '[::1]'].includes(new URL(server).hostname)) return
  const { rows } = await client.query('select datname from pg_database where datname like $1', [`${prefix}%`])
  for (const { datname } of rows) {
    const pid = readProcessId(String(datname))
    if (pid !== undefined && !isRunning(pid))
      await client.query(`drop database if exists ${datname} with (force)`)
  }
}

/**
 * Returns the process that created the database of a test run, or of one of its tests. Returns undefined for any other
 * database, whatever its name begins with: it belongs to a developer.
 *
 * @param {string} name
 * @returns {number | undefined}
 */
export function readProcessId(name) {
  const pid = providedNames.exec(name)?.[1]
  return pid === undefined ? undefined : Number(pid)
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * @template Result
 * @param {string} url
 * @param {(client: import('pg').Client) => Promise<Result>} use
 */
async function withClient(url, use) {
  const client = await connectPostgres(url)
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
