import { isIP } from 'node:net'

/**
 * Says what others in the network can read or change of the connection to PostgreSQL; null when they can do neither. A
 * socket and a loopback address are not in the network.
 */
export async function describeConnectionRisk(databaseUrl: string | null): Promise<ConnectionRisk | null> {
  if (databaseUrl === null) return null
  // Loaded on demand, because only PostgreSQL needs it. It reads PGHOST, PGSSLMODE and the files that the address names.
  const { default: pg } = await import('pg')
  const { host, ssl }: { readonly host: string; readonly ssl: unknown } = new pg.Client({
    connectionString: databaseUrl,
  })
  if (isOnThisMachine(host)) return null
  const isAccepted = new URLSearchParams(databaseUrl.split('?')[1]).get('sslmode') === 'disable'
  if (ssl === false || ssl === undefined)
    return {
      isAccepted,
      message: `The connection to PostgreSQL at ${host} is not encrypted, so the network can read and change all data. Add ?sslmode=verify-full to DATABASE_URL, or ?sslmode=disable if you trust the network between them.`,
    }
  if (
    typeof ssl === 'object' &&
    ssl !== null &&
    'rejectUnauthorized' in ssl &&
    ssl.rejectUnauthorized === false
  )
    return {
      isAccepted: false,
      message: `The connection to PostgreSQL at ${host} does not check the server's certificate, so another server in the network can pose as it. Use sslmode=verify-full in DATABASE_URL, with sslrootcert=<file> for an authority of your own.`,
    }
  return null
}

export interface ConnectionRisk {
  /** Whether the operator has said so, with `sslmode=disable`. */
  readonly isAccepted: boolean
  readonly message: string
}

function isOnThisMachine(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  if (name.startsWith('/') || /^(.+\.)?localhost\.?$/.test(name)) return true
  return isIP(name) === 4 ? name.startsWith('127.') : name === '::1'
}
