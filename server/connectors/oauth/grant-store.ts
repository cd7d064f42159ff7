import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { sql } from 'kysely'
import { ofUser } from '../../access/access.ts'
import type { Database, Db } from '../../db/database.ts'
import { grantContext } from '../../db/secrets/seal-contexts.ts'
import type { ConnectorRow } from '../../db/tables/connector-tables.ts'
import type { ConnectorDeps } from '../connector-deps.ts'

/** Identifies a connector's grant, which belongs to the connector, its owner and its address. */
type ConnectorKey = Pick<ConnectorRow, 'id' | 'user_id' | 'url'>

type GrantDeps = Pick<ConnectorDeps, 'database' | 'sealer'>

export interface StoredTokens {
  readonly tokens: StoredOAuthTokens
  /** Milliseconds since 1970; null when the server sent no lifetime. */
  readonly expiresAt: number | null
}

/** What is stored of a grant beside its tokens. */
export interface GrantDetails {
  /** Our registration. Null when the server has refused it, or the user entered a client. */
  readonly client: StoredOAuthClientInformation | null
  readonly discovery: OAuthDiscoveryState | null
  /** The scope that the next consent must request, because a call lacked part of it; else null. */
  readonly wantedScope: string | null
  /** The origins of the authorization server, other than the connector's, that the user has confirmed. */
  readonly confirmed: readonly string[]
}

/** What an authorization server has granted to a connector: at its latest consent, there is one for each connector. */
export interface Grant {
  readonly issuer: string
  /** Null when the server has refused them, or they were encrypted with another SECRET_KEY. */
  readonly tokens: StoredTokens | null
  readonly details: GrantDetails
  /** The stored form of the tokens, which changes with every refresh. */
  readonly sealedTokens: string | null
  /** When the reservation of a refresh ends, by the database's clock; null when there is none. */
  readonly refreshing_until: number | null
  /** The `credential_version` of the connector when the grant was read. */
  readonly credentialVersion: number
}

/** Returns the grant of a connector. One that was encrypted with another SECRET_KEY is ignored. */
export async function findGrant(
  { database, sealer }: GrantDeps,
  connector: ConnectorKey,
): Promise<Grant | undefined> {
  const row = await database.db
    .selectFrom('connector_grants as g')
    .innerJoin('connectors as c', 'c.id', 'g.connector_id')
    .selectAll('g')
    .select('c.credential_version')
    .where('c.id', '=', connector.id)
    .where(ofUser(connector.user_id, 'connectors as c'))
    .where('c.url', '=', connector.url)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const open = (column: 'tokens' | 'details'): unknown => {
    try {
      return JSON.parse(sealer.open(row[column] ?? '', grantContext(column, connector, row)))
    } catch {
      return null
    }
  }
  const details = open('details') as GrantDetails | null
  return details === null
    ? undefined
    : {
        issuer: row.issuer,
        tokens: open('tokens') as StoredTokens | null,
        details,
        sealedTokens: row.tokens,
        refreshing_until: row.refreshing_until,
        credentialVersion: row.credential_version,
      }
}

/**
 * Stores the grant of a new consent, which the user may have given with another account, in place of the former one.
 * Returns false, without a change, when the connector was deleted or its address has changed.
 */
export function saveGrant(
  deps: GrantDeps,
  connector: ConnectorKey,
  { issuer, tokens, details }: Pick<Grant, 'issuer' | 'tokens' | 'details'>,
): Promise<boolean> {
  const { id, user_id, url } = connector
  const grant = {
    issuer,
    user_id,
    tokens: tokens && seal(deps, connector, issuer, 'tokens', tokens),
    details: seal(deps, connector, issuer, 'details', details),
    refreshing_until: null,
  }
  return deps.database.db.transaction().execute(async (trx) => {
    // Locks the row, so that a change of the address waits and then deletes this grant too.
    const { numUpdatedRows } = await trx
      .updateTable('connectors')
      .set(({ eb }) => ({ credential_version: eb('credential_version', '+', 1), call_error: null }))
      .where('id', '=', id)
      .where(ofUser(user_id, 'connectors'))
      .where('url', '=', url)
      .executeTakeFirstOrThrow()
    if (numUpdatedRows === 0n) return false
    await trx
      .insertInto('connector_grants')
      .values({ connector_id: id, ...grant })
      .onConflict((conflict) => conflict.column('connector_id').doUpdateSet(grant))
      .execute()
    return true
  })
}

/**
 * Changes parts of a grant. New tokens, or null, end the reservation of a refresh. Returns false, without a change, when
 * its tokens are not those of `grant` any more, or the grant was deleted.
 */
export async function changeGrant(
  deps: GrantDeps,
  connector: ConnectorKey,
  { issuer, sealedTokens }: Pick<Grant, 'issuer' | 'sealedTokens'>,
  { tokens, details }: Partial<Pick<Grant, 'tokens' | 'details'>>,
): Promise<boolean> {
  const { numUpdatedRows } = await deps.database.db
    .updateTable('connector_grants')
    .set({
      ...(details && { details: seal(deps, connector, issuer, 'details', details) }),
      ...(tokens !== undefined && {
        tokens: tokens && seal(deps, connector, issuer, 'tokens', tokens),
        refreshing_until: null,
      }),
    })
    .where('connector_id', '=', connector.id)
    .where(ofUser(connector.user_id, 'connector_grants'))
    .where('issuer', '=', issuer)
    .where('tokens', 'is not distinct from', sealedTokens)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

function seal(
  { sealer }: GrantDeps,
  connector: ConnectorKey,
  issuer: string,
  column: 'tokens' | 'details',
  value: unknown,
): string {
  return sealer.seal(JSON.stringify(value), grantContext(column, connector, { issuer }))
}

export async function deleteGrant(
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
  { sealedTokens }: Pick<Grant, 'sealedTokens'>,
  leaseMs: number,
): Promise<number | undefined> {
  const reserved = await db
    .updateTable('connector_grants')
    .set({ refreshing_until: sql<number>`${dialect.clock} + ${leaseMs}` })
    .where('connector_id', '=', id)
    .where(ofUser(user_id, 'connector_grants'))
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
  reservedUntil: number,
): Promise<void> {
  await db
    .updateTable('connector_grants')
    .set({ refreshing_until: null })
    .where('connector_id', '=', id)
    .where(ofUser(user_id, 'connector_grants'))
    .where('refreshing_until', '=', reservedUntil)
    .execute()
}
