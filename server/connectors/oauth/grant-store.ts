import type { Kysely } from 'kysely'
import type { ConnectorGrantRow, ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { Db } from '../../db/database.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { StoredOAuthTokens } from '@modelcontextprotocol/client'
import type { Sealer } from '../../db/secrets/seal-secret.ts'

/** Identifies a connector's grants, which belong to the connector, its owner and its address. */
type Owned = Pick<ConnectorRow, 'id' | 'user_id' | 'url'>

/** The columns of a grant, which are written separately. */
export type GrantPart = Partial<Pick<ConnectorGrantRow, 'client' | 'tokens' | 'discovery'>>

/** Returns the grants of a connector, the latest first. */
export function listGrants(db: Db, connector: Owned): Promise<ConnectorGrantRow[]> {
  return db
    .selectFrom('connector_grants as g')
    .innerJoin('connectors as c', 'c.id', 'g.connector_id')
    .selectAll('g')
    .where('c.id', '=', connector.id)
    .where('c.user_id', '=', connector.user_id)
    .where('c.url', '=', connector.url)
    .orderBy('g.updated_at', 'desc')
    .orderBy('g.issuer')
    .execute()
}

/**
 * Stores the given columns of a grant; the others stay unchanged. Returns false, without a change, when the connector's
 * address has changed meanwhile.
 */
export function saveGrant(
  db: Kysely<Tables>,
  { id, user_id, url }: Owned,
  issuer: string,
  part: GrantPart,
  now: number,
): Promise<boolean> {
  const empty = { client: null, tokens: null, discovery: null, refreshing_until: null }
  return db.transaction().execute(async (trx) => {
    // Locks the row, so that a change of the address waits and then deletes this grant too.
    const { numUpdatedRows } = await trx
      .updateTable('connectors')
      .set({ url })
      .where('id', '=', id)
      .where('url', '=', url)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    await trx
      .insertInto('connector_grants')
      .values({ ...empty, ...part, connector_id: id, issuer, user_id, updated_at: now })
      .onConflict((conflict) =>
        conflict.columns(['connector_id', 'issuer']).doUpdateSet({ ...part, updated_at: now }),
      )
      .execute()
    return true
  })
}

/** Clears the given columns of all grants of a connector. */
export async function clearGrants(
  db: Db,
  { id, user_id }: Pick<Owned, 'id' | 'user_id'>,
  part: { readonly [Part in keyof GrantPart]: null },
): Promise<void> {
  await db
    .updateTable('connector_grants')
    .set(part)
    .where('connector_id', '=', id)
    .where('user_id', '=', user_id)
    .execute()
}

export async function deleteGrants(db: Db, connector: Pick<ConnectorRow, 'id'>): Promise<void> {
  await db.deleteFrom('connector_grants').where('connector_id', '=', connector.id).execute()
}

/**
 * Reserves the refresh of these tokens until `until`. Returns false when another process refreshes or has replaced
 * them.
 */
export async function reserveRefresh(
  db: Db,
  { connector_id, issuer, tokens }: Pick<ConnectorGrantRow, 'connector_id' | 'issuer' | 'tokens'>,
  now: number,
  until: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('connector_grants')
    .set({ refreshing_until: until })
    .where('connector_id', '=', connector_id)
    .where('issuer', '=', issuer)
    .where('tokens', '=', tokens)
    .where((where) => where.or([where('refreshing_until', 'is', null), where('refreshing_until', '<', now)]))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function releaseRefresh(
  db: Db,
  { connector_id, issuer }: Pick<ConnectorGrantRow, 'connector_id' | 'issuer'>,
): Promise<void> {
  await db
    .updateTable('connector_grants')
    .set({ refreshing_until: null })
    .where('connector_id', '=', connector_id)
    .where('issuer', '=', issuer)
    .execute()
}

export interface StoredTokens {
  readonly tokens: StoredOAuthTokens
  /** Milliseconds since 1970; null when the server sent no lifetime. */
  readonly expiresAt: number | null
}

/** Seals tokens together with the time at which they expire. `now` is milliseconds since 1970. */
export function sealTokens(sealer: Sealer, tokens: StoredOAuthTokens, now: number): string {
  const expiresAt = tokens.expires_in === undefined ? null : now + tokens.expires_in * 1_000
  return sealer.seal(JSON.stringify({ tokens, expiresAt } satisfies StoredTokens))
}

/** @throws Error when they were sealed with another key */
export function openTokens(sealer: Sealer, sealed: string): StoredTokens {
  return JSON.parse(sealer.open(sealed)) as StoredTokens
}
