import { sql } from 'kysely'
import type { Db } from '../database.ts'
import {
  botKeyContext,
  clientSecretContext,
  connectorHeadersContext,
  connectorTokenContext,
  grantContext,
  installationKeyContext,
  integrationKeyContext,
  integrationTokensContext,
} from './seal-contexts.ts'
import type { SealContext, Sealer } from './seal-secret.ts'

/** The LIKE pattern of values that are sealed in the current format. */
const sealedPattern = 'v2.%'

/**
 * Returns whether the key of this sealer is the one with which the database was used. The rows of `keys` decide, of
 * which every start stores one (`open-sealer.ts`). In a database that was last used by a version which stored none, it
 * fits when it opens one of up to 100 secrets of users of each kind. It is `unknown` when nothing lasting is sealed.
 */
export async function compareSecretKey(db: Db, sealer: Sealer): Promise<'fits' | 'differs' | 'unknown'> {
  const opens = ([sealed, context]: Sample): boolean => {
    try {
      sealer.open(sealed, context)
      return true
    } catch {
      return false
    }
  }
  const keys = await db
    .selectFrom('keys')
    .select(['name', 'value'])
    .where('value', 'like', sealedPattern)
    .execute()
  if (keys.length > 0) {
    return keys.every(({ name, value }) => opens([value, installationKeyContext(name)])) ? 'fits' : 'differs'
  }
  const samples = await listSamples(db)
  if (samples.length === 0) return 'unknown'
  return samples.some(opens) ? 'fits' : 'differs'
}

type Sample = readonly [sealed: string, context: SealContext]

/** Secrets of users that last, up to `maxSamples` of each kind. */
async function listSamples(db: Db): Promise<readonly Sample[]> {
  const bots = await db
    .selectFrom('bots')
    .select(['id', 'user_id', 'api_key'])
    .where('api_key', 'like', sealedPattern)
    .limit(maxSamples)
    .execute()
  const connectors = await db
    .selectFrom('connectors')
    .select(['id', 'user_id', 'token', 'client_secret', 'headers'])
    .where(sql<boolean>`coalesce(token, client_secret, headers) like ${sealedPattern}`)
    .limit(maxSamples)
    .execute()
  const grants = await db
    .selectFrom('connector_grants')
    .innerJoin('connectors', 'connectors.id', 'connector_grants.connector_id')
    .select(['connectors.id', 'connectors.user_id', 'connectors.url', 'issuer', 'details'])
    .where('details', 'like', sealedPattern)
    .limit(maxSamples)
    .execute()
  const integrations = await db
    .selectFrom('integrations')
    .select(['user_id', 'name', 'api_key', 'tokens'])
    .where(sql<boolean>`coalesce(api_key, tokens) like ${sealedPattern}`)
    .limit(maxSamples)
    .execute()
  const all: (readonly [string | null, SealContext])[] = [
    ...bots.map((row) => [row.api_key, botKeyContext(row)] as const),
    ...connectors.flatMap((row) => [
      [row.token, connectorTokenContext(row)] as const,
      [row.client_secret, clientSecretContext(row)] as const,
      [row.headers, connectorHeadersContext(row)] as const,
    ]),
    ...grants.map((row) => [row.details, grantContext('details', row, row)] as const),
    ...integrations.flatMap((row) => [
      [row.api_key, integrationKeyContext(row)] as const,
      [row.tokens, integrationTokensContext(row)] as const,
    ]),
  ]
  return all.flatMap(([sealed, context]) => (sealed === null ? [] : [[sealed, context] as const]))
}

const maxSamples = 100
