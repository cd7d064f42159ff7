import type {
  OAuthDiscoveryState,
  OAuthMetadata,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { sql, type Kysely } from 'kysely'
import { ofUser } from '../../access/access.ts'
import type { Database, Db } from '../../db/database.ts'
import { grantContext } from '../../db/secrets/seal-contexts.ts'
import type { SealContext, Sealer } from '../../db/secrets/seal-secret.ts'
import type { ConnectorGrantRow, ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { Tables } from '../../db/tables/tables.ts'
import type { ConnectorDeps } from '../connector-deps.ts'

/** Identifies a connector's grants, which belong to the connector, its owner and its address. */
type ConnectorKey = Pick<ConnectorRow, 'id' | 'user_id' | 'url'>

type GrantDeps = Pick<ConnectorDeps, 'database' | 'sealer'>

export interface StoredTokens {
  readonly tokens: StoredOAuthTokens
  /** Milliseconds since 1970; null when the server sent no lifetime. */
  readonly expiresAt: number | null
}

/** What discovery found for a connector, and what must survive another discovery. */
export interface StoredDiscovery {
  readonly state: OAuthDiscoveryState | null
  /** The scope that the next consent must request, because a call lacked part of it; else null. */
  readonly wantedScope: string | null
  /** The origins of the authorization server, other than the connector's, that the user has confirmed. */
  readonly confirmed?: readonly string[]
  /** How the tokens can be revoked while `state` is null. */
  readonly revocation?: RevocationMetadata
}

/** The part of a server's metadata that says how to revoke tokens. */
export type RevocationMetadata = Partial<
  Pick<
    OAuthMetadata,
    | 'revocation_endpoint'
    | 'revocation_endpoint_auth_methods_supported'
    | 'token_endpoint_auth_methods_supported'
  >
>

/** The decrypted columns of a grant, which are written separately. */
export interface GrantParts {
  readonly client: StoredOAuthClientInformation | null
  readonly tokens: StoredTokens | null
  readonly discovery: StoredDiscovery | null
}

/** The decrypted content of a grant. */
export interface GrantData extends GrantParts {
  readonly issuer: string
}

export interface Grant extends GrantData {
  /** The stored form of the tokens, which changes with every refresh. */
  readonly sealedTokens: string | null
  /** When the reservation of a refresh ends, by the database's clock; null when there is none. */
  readonly refreshing_until: number | null
  /** The `credential_version` of the connector when the grant was read. */
  readonly credentialVersion: number
}

/**
 * Returns the grants of a connector, the latest first. A column that was encrypted with another SECRET_KEY is null, so
 * that the user can connect again.
 */
export async function listGrants({ database, sealer }: GrantDeps, connector: ConnectorKey): Promise<Grant[]> {
  const rows = await database.db
    .selectFrom('connector_grants as g')
    .innerJoin('connectors as c', 'c.id', 'g.connector_id')
    .selectAll('g')
    .select('c.credential_version')
    .where('c.id', '=', connector.id)
    .where(ofUser(connector.user_id, 'connectors as c'))
    .where('c.url', '=', connector.url)
    .orderBy('g.updated_at', 'desc')
    .orderBy('g.issuer')
    .execute()
  return rows.map((row) => ({
    ...openGrant(sealer, connector, row),
    sealedTokens: row.tokens,
    refreshing_until: row.refreshing_until,
    credentialVersion: row.credential_version,
  }))
}

function openGrant(sealer: Sealer, connector: ConnectorKey, row: ConnectorGrantRow): GrantData {
  const open = (column: keyof GrantParts): unknown =>
    openOrNull(sealer, row[column], grantContext(column, connector, row))
  return {
    issuer: row.issuer,
    client: open('client') as Grant['client'],
    tokens: open('tokens') as Grant['tokens'],
    discovery: open('discovery') as Grant['discovery'],
  }
}

function openOrNull(sealer: Sealer, sealed: string | null, context: SealContext): unknown {
  if (sealed === null) return null
  try {
    return JSON.parse(sealer.open(sealed, context))
  } catch {
    return null
  }
}

export interface SaveOptions {
  /** True for tokens of a new consent, which the user may have given with another account. Default: false. */
  readonly isNewConsent?: boolean
  /** The stored form of the tokens that the new tokens replace. By default, they replace any tokens. */
  readonly replaced?: string
}

/**
 * Stores the given columns of a grant; the others stay unchanged. New tokens end the reservation of a refresh, which
 * was for the former tokens. Returns the old grants that were deleted to make room. Returns undefined, and changes
 * nothing, when the connector was deleted, its address has changed, or the tokens `replaced` are no longer stored.
 */
export async function saveGrant(
  { database, sealer, now }: GrantDeps & Pick<ConnectorDeps, 'now'>,
  connector: ConnectorKey,
  issuer: string,
  parts: Partial<GrantParts>,
  options: SaveOptions = {},
): Promise<GrantData[] | undefined> {
  const sealed = Object.fromEntries(
    (['client', 'tokens', 'discovery'] as const)
      .filter((column) => parts[column] !== undefined)
      .map((column) => {
        const context = grantContext(column, connector, { issuer })
        return [column, parts[column] === null ? null : sealer.seal(JSON.stringify(parts[column]), context)]
      }),
  )
  const deleted = await writeGrant(database.db, connector, issuer, sealed, { now: now(), ...options })
  return deleted?.map((row) => openGrant(sealer, connector, row))
}

function writeGrant(
  db: Kysely<Tables>,
  { id, user_id, url }: ConnectorKey,
  issuer: string,
  part: Partial<Pick<ConnectorGrantRow, keyof GrantParts>>,
  { now, isNewConsent = false, replaced }: SaveOptions & { readonly now: number },
): Promise<ConnectorGrantRow[] | undefined> {
  const empty = { client: null, tokens: null, discovery: null, refreshing_until: null }
  const changed = {
    ...part,
    ...(part.tokens === undefined ? {} : { refreshing_until: null }),
    updated_at: now,
  }
  return db.transaction().execute(async (trx) => {
    // Locks the row, so that a change of the address waits and then deletes this grant too.
    const { numUpdatedRows } = await trx
      .updateTable('connectors')
      .set(({ eb }) => ({
        url,
        ...(isNewConsent ? { credential_version: eb('credential_version', '+', 1), call_error: null } : {}),
      }))
      .where('id', '=', id)
      .where(ofUser(user_id, 'connectors'))
      .where('url', '=', url)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return undefined
    if (replaced !== undefined) {
      const update = trx
        .updateTable('connector_grants')
        .set(changed)
        .where('connector_id', '=', id)
        .where(ofUser(user_id, 'connector_grants'))
        .where('issuer', '=', issuer)
        .where('tokens', '=', replaced)
      return (await update.executeTakeFirstOrThrow()).numUpdatedRows === 0n ? undefined : []
    }
    await trx
      .insertInto('connector_grants')
      .values({ ...empty, ...changed, connector_id: id, issuer, user_id })
      .onConflict((conflict) => conflict.columns(['connector_id', 'issuer']).doUpdateSet(changed))
      .execute()
    return deleteOldGrants(trx, { id, user_id }, issuer)
  })
}

/** Grants of a connector; without a limit, a server could name a new authorization server each time. */
const maxGrants = 5

/**
 * Deletes all but the newest grants of a connector, first those without tokens. Keeps the grant that was just written,
 * which gets its tokens only after the user has consented. Returns the deleted grants.
 */
function deleteOldGrants(
  trx: Db,
  { id, user_id }: Pick<ConnectorRow, 'id' | 'user_id'>,
  written: string,
): Promise<ConnectorGrantRow[]> {
  const kept = trx
    .selectFrom('connector_grants')
    .select('issuer')
    .where('connector_id', '=', id)
    .where(ofUser(user_id, 'connector_grants'))
    .orderBy(({ eb }) =>
      eb.case().when('issuer', '=', written).then(0).when('tokens', 'is not', null).then(1).else(2).end(),
    )
    .orderBy('updated_at', 'desc')
    .orderBy('issuer')
    .limit(maxGrants)
  return trx
    .deleteFrom('connector_grants')
    .where('connector_id', '=', id)
    .where(ofUser(user_id, 'connector_grants'))
    .where('issuer', 'not in', kept)
    .returningAll()
    .execute()
}

/**
 * Clears the given columns of all grants of a connector, or of those with the given stored form of their tokens. Of
 * `discovery`, only the state is cleared, not the wanted scope, the confirmed origins or how to revoke the tokens.
 */
export async function clearGrants(
  deps: GrantDeps,
  connector: ConnectorKey,
  columns: readonly (keyof GrantParts)[],
  sealedTokens?: string,
): Promise<void> {
  for (const { issuer, discovery } of await listGrants(deps, connector)) {
    const part: Partial<Record<keyof GrantParts, string | null>> = Object.fromEntries(
      columns.map((column) => [column, null]),
    )
    if (columns.includes('discovery') && discovery !== null) {
      const { wantedScope, confirmed = [] } = discovery
      const kept: StoredDiscovery = {
        state: null,
        wantedScope,
        confirmed,
        revocation: readRevocationMetadata(discovery),
      }
      const context = grantContext('discovery', connector, { issuer })
      part.discovery = deps.sealer.seal(JSON.stringify(kept), context)
    }
    const update = deps.database.db
      .updateTable('connector_grants')
      .set(part)
      .where('connector_id', '=', connector.id)
      .where(ofUser(connector.user_id, 'connector_grants'))
      .where('issuer', '=', issuer)
    await (sealedTokens === undefined ? update : update.where('tokens', '=', sealedTokens)).execute()
  }
}

/** Returns how the tokens of a grant can be revoked. Without a `revocation_endpoint`, they cannot. */
export function readRevocationMetadata({ state, revocation }: StoredDiscovery): RevocationMetadata {
  const metadata: RevocationMetadata = state?.authorizationServerMetadata ?? revocation ?? {}
  const {
    revocation_endpoint,
    revocation_endpoint_auth_methods_supported,
    token_endpoint_auth_methods_supported,
  } = metadata
  return {
    revocation_endpoint,
    revocation_endpoint_auth_methods_supported,
    token_endpoint_auth_methods_supported,
  }
}

export async function deleteGrants(
  db: Db,
  { id, user_id }: Pick<ConnectorRow, 'id' | 'user_id'>,
): Promise<void> {
  await db
    .deleteFrom('connector_grants')
    .where('connector_id', '=', id)
    .where(ofUser(user_id, 'connector_grants'))
    .execute()
}

/**
 * Reserves the refresh of these tokens for `leaseMs` milliseconds, by the database's clock. Returns the time at which
 * the reservation ends, or undefined when another process refreshes the tokens or has replaced them.
 */
export async function reserveRefresh(
  { db, dialect }: Pick<Database, 'db' | 'dialect'>,
  { id, user_id }: Pick<ConnectorRow, 'id' | 'user_id'>,
  { issuer, sealedTokens }: Pick<Grant, 'issuer' | 'sealedTokens'>,
  leaseMs: number,
): Promise<number | undefined> {
  const reserved = await db
    .updateTable('connector_grants')
    .set({ refreshing_until: sql<number>`${dialect.clock} + ${leaseMs}` })
    .where('connector_id', '=', id)
    .where(ofUser(user_id, 'connector_grants'))
    .where('issuer', '=', issuer)
    .where('tokens', '=', sealedTokens)
    .where((where) =>
      where.or([where('refreshing_until', 'is', null), where('refreshing_until', '<', dialect.clock)]),
    )
    .returning('refreshing_until')
    .executeTakeFirst()
  return reserved?.refreshing_until ?? undefined
}

/** Ends the reservation that lasts until `reservedUntil`, but not one that another process made after it ran out. */
export async function releaseRefresh(
  db: Db,
  { id, user_id }: Pick<ConnectorRow, 'id' | 'user_id'>,
  { issuer }: Pick<Grant, 'issuer'>,
  reservedUntil: number,
): Promise<void> {
  await db
    .updateTable('connector_grants')
    .set({ refreshing_until: null })
    .where('connector_id', '=', id)
    .where(ofUser(user_id, 'connector_grants'))
    .where('issuer', '=', issuer)
    .where('refreshing_until', '=', reservedUntil)
    .execute()
}
