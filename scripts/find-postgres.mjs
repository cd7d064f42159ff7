import { createRequire } from 'node:module'
import { userInfo } from 'node:os'
import { rootFolder } from '../bin/run-command.mjs'

/**
 * Loaded with the first connection, because this file is imported before packages are installed.
 *
 * @returns {typeof import('pg')}
 */
function requirePg() {
  return createRequire(`${rootFolder}server/package.json`)('pg')
}

/**
 * Returns the address of a PostgreSQL where databases can be created: TEST_DATABASE_URL, or a local one that trusts
 * this user. Returns undefined when there is none, and throws when TEST_DATABASE_URL is set but cannot be used.
 *
 * @returns {Promise<string | undefined>}
 */
export async function findPostgres() {
  const configured = process.env['TEST_DATABASE_URL'] ?? ''
  if (configured !== '') {
    const problem = await tryConnection(configured)
    if (problem === undefined) return configured
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
  // A lost connection rejects the running query. Without a listener, the event would also end the process.
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
 * Returns what is wrong, or undefined when databases can be created there.
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
      return rows[0]?.allowed === true ? undefined : 'its role is not allowed to create databases'
    } finally {
      await client.end()
    }
  } catch (error) {
    return error instanceof Error ? error.message || error.name : String(error)
  }
}
