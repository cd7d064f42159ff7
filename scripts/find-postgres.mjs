import { createRequire } from 'node:module'
import { userInfo } from 'node:os'
import { rootFolder } from './run-command.mjs'

/**
 * Asked for at the first connection and not before: this file is read when no package may be there yet.
 *
 * @returns {typeof import('pg')}
 */
function requirePg() {
  return createRequire(`${rootFolder}server/package.json`)('pg')
}

/**
 * The address of a PostgreSQL where databases can be created: the one in TEST_DATABASE_URL, else one of this machine
 * that trusts us. Undefined when there is none. Throws when TEST_DATABASE_URL is set and of no use.
 *
 * @returns {Promise<string | undefined>}
 */
export async function findPostgres() {
  const given = process.env['TEST_DATABASE_URL'] ?? ''
  if (given !== '') {
    const problem = await tryConnection(given)
    if (problem === undefined) return given
    throw new Error(`TEST_DATABASE_URL cannot be used: ${problem}`)
  }
  for (const url of listLocalUrls()) if ((await tryConnection(url)) === undefined) return url
  return undefined
}

/**
 * @param {string} url
 * @returns {Promise<import('pg').Client>}
 */
export async function connectPostgres(url) {
  const { Client } = requirePg()
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 3000 })
  // A server that goes away ends the query that waits for it; the event alone must not end the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

function listLocalUrls() {
  const users = [...new Set(['postgres', 'root', userInfo().username])]
  const hosts = ['/var/run/postgresql', '/tmp', '127.0.0.1']
  return hosts.flatMap((host) =>
    users.flatMap((user) =>
      [...new Set(['postgres', user])].map((database) =>
        host.startsWith('/')
          ? `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}`
          : `postgres://${user}@${host}:5432/${database}`,
      ),
    ),
  )
}

/**
 * Answers what is wrong, or undefined when databases can be created there.
 *
 * @param {string} url
 */
async function tryConnection(url) {
  try {
    const client = await connectPostgres(url)
    try {
      const { rows } = await client.query(
        'select rolcreatedb or rolsuper as allowed from pg_roles where rolname = current_user',
      )
      return rows[0]?.allowed === true ? undefined : 'its role may not create databases'
    } finally {
      await client.end()
    }
  } catch (error) {
    return error instanceof Error ? error.message || error.name : String(error)
  }
}
