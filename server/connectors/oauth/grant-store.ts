import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { sql, type SqlBool } from 'kysely'
import { ofUser } from '../../access/access.ts'
import type { Database, Db } from '../../db/database.ts'
import { refreshLease } from '../../db/refresh-lease-store.ts'
import { openJson } from '../../db/secrets/credential.ts'
import { grantContext } from '../../db/secrets/seal-contexts.ts'
import type { ConnectorConsentRow, ConnectorRow } from '../../db/tables/connector-tables.ts'
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
  const details = openJson(sealer, grantContext('details', connector, row), row.details) as
    | GrantDetails
    | undefined
  if (details === undefined) return undefined
  return {
    issuer: row.issuer,
    tokens:
      (openJson(sealer, grantContext('tokens', connector, row), row.tokens) as StoredTokens | undefined) ??
      null,
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

/** The lease to refresh the tokens of a grant. */
export function grantLease(
  database: Pick<Database, 'db' | 'dialect'>,
  { id, user_id }: Pick<ConnectorRow, 'id' | 'user_id'>,
  { sealedTokens }: Pick<Grant, 'sealedTokens'>,
) {
  const condition = sql<SqlBool>`connector_id = ${id} and ${ofUser(user_id, 'connector_grants')}`
  return refreshLease(database, { table: 'connector_grants', condition, tokens: sealedTokens })
}

/** Pending consents of a user; older ones are deleted. Each contains the metadata of its server. */
const maxPendingConsents = 20

/**
 * Stores a pending consent until the user returns from the authorization server, and deletes those that have expired at
 * `now` (milliseconds since 1970).
 */
export async function insertConsent(db: Db, consent: ConnectorConsentRow, now: number): Promise<void> {
  await db.deleteFrom('connector_consents').where('expires_at', '<', now).execute()
  await db.insertInto('connector_consents').values(consent).execute()
  const newest = db
    .selectFrom('connector_consents')
    .select('state_hash')
    .where(ofUser(consent.user_id, 'connector_consents'))
    .orderBy('expires_at', 'desc')
    .orderBy('state_hash')
    .limit(maxPendingConsents)
  await db
    .deleteFrom('connector_consents')
    .where(ofUser(consent.user_id, 'connector_consents'))
    .where('state_hash', 'not in', newest)
    .execute()
}

/** Deletes and returns the pending consent with this `state`, so that only one caller gets it. */
export function takeConsent(db: Db, stateHash: string): Promise<ConnectorConsentRow | undefined> {
  return db
    .deleteFrom('connector_consents')
    .where('state_hash', '=', stateHash)
    .returningAll()
    .executeTakeFirst()
}
