import { isGoogleIntegration, titleOfIntegration } from '@yonder/contract/integration-names'
import type { ApiKeyService } from '../config/api-key-service.ts'
import type { Db } from '../db/database.ts'
import { openJson, toOrigin, type Credential } from '../db/secrets/credential.ts'
import { integrationKeyContext, integrationTokensContext } from '../db/secrets/seal-contexts.ts'
import type { Sealer } from '../db/secrets/seal-secret.ts'
import type { IntegrationRow } from '../db/tables/integration-tables.ts'
import { AppError } from '../lib/app-error.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { listIntegrations } from './integration-store.ts'
import type { GoogleTokens } from './oauth/google-client.ts'

/** The tokens of an integration, which are stored encrypted. The scopes are not secret and have their own column. */
export interface StoredTokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** Encrypts tokens for `owner`. `refreshToken` is separate, because Google does not return it with every refresh. */
export function sealGoogleTokens(
  sealer: Sealer,
  owner: Pick<IntegrationRow, 'user_id' | 'name'>,
  { accessToken, expiresAt }: GoogleTokens,
  refreshToken: string,
): string {
  const tokens: StoredTokens = { accessToken, refreshToken, expiresAt }
  return sealer.seal(JSON.stringify(tokens), integrationTokensContext(owner))
}

/** Decrypts the tokens of an integration. Returns undefined when there are none, or SECRET_KEY has changed. */
export function openGoogleTokens(
  sealer: Sealer,
  row: Pick<IntegrationRow, 'user_id' | 'name' | 'tokens'>,
): StoredTokens | undefined {
  return openJson(sealer, integrationTokensContext(row), row.tokens) as StoredTokens | undefined
}

/**
 * Returns the origin of an API-key service, which is the address that its keys belong to. Null when it is not
 * offered.
 */
export function addressOfService(services: readonly ApiKeyService[], name: string): string | null {
  const service = services.find((offered) => offered.name === name)
  return service === undefined ? null : toOrigin(service.url)
}

/**
 * `for another address`: the service has another address now than the one that its key was entered for.
 * `unreadable`: the key or the tokens cannot be decrypted, because SECRET_KEY has changed.
 */
export type CredentialProblem = 'for another address' | 'unreadable'

/** Decrypts the API key of an integration. Returns the problem when it must not be sent to the origin `address`. */
export function openApiKey(
  sealer: Sealer,
  row: IntegrationRow,
  address: string,
): { readonly key: string } | { readonly problem: CredentialProblem } {
  const stored = openJson(sealer, integrationKeyContext(row), row.api_key) as Credential | undefined
  if (stored === undefined) return { problem: 'unreadable' }
  return stored.address === address ? { key: stored.secret } : { problem: 'for another address' }
}

type StatusDeps = Pick<IntegrationDeps, 'sealer' | 'apiKeyServices'>

/** Returns why the stored key or tokens cannot be used, or null when they can be used or nothing is stored. */
export function findCredentialProblem(
  { sealer, apiKeyServices }: StatusDeps,
  row: IntegrationRow,
): CredentialProblem | null {
  if (row.tokens !== null) return openGoogleTokens(sealer, row) === undefined ? 'unreadable' : null
  // The key of a service that is not offered any more is not sent anywhere, so it has no problem.
  const address = addressOfService(apiKeyServices, row.name)
  if (address === null || row.api_key === null) return null
  const stored = openApiKey(sealer, row, address)
  return 'problem' in stored ? stored.problem : null
}

/**
 * Whether an integration has tokens or a key that can be used. The key of a service that is not offered any more counts
 * as usable.
 */
export function isConnected(deps: StatusDeps, row: IntegrationRow): boolean {
  return (row.tokens !== null || row.api_key !== null) && findCredentialProblem(deps, row) === null
}

/** Whether the connector of a user's integration can be used. */
export interface IntegrationStatus {
  /**
   * Incremented when the user connects or disconnects the integration or changes its key. MCP sessions of an earlier
   * version are not reused.
   */
  readonly version: number
  /** False when there is no key and no token that can be used, so that the user has to connect again. */
  readonly isConnected: boolean
  /** Why its connector fails although it is connected; null or absent while it works. */
  readonly callError?: string | null
}

/**
 * Returns the status of each integration that a user has connected, by name. Connections that Google has ended and keys
 * that cannot be used are included.
 */
export async function listStatuses(
  deps: Pick<IntegrationDeps, 'database'> & StatusDeps,
  userId: string,
  db: Db = deps.database.db,
): Promise<ReadonlyMap<string, IntegrationStatus>> {
  const rows = await listIntegrations(db, { id: userId })
  return new Map(
    rows
      .filter(({ api_key, tokens, ended }) => api_key !== null || tokens !== null || ended === 1)
      .map((row) => [
        row.name,
        { version: row.version, isConnected: isConnected(deps, row), callError: row.call_error },
      ]),
  )
}

/**
 * Returns the error of a tool call whose integration is not connected. Users and models read its message. `missing`:
 * never connected, or disconnected. `ended`: Google has ended the consent.
 */
export function notConnected(name: string, reason: 'missing' | 'ended' | CredentialProblem): AppError {
  const title = titleOfIntegration(name)
  const sentences = {
    missing: `${title} is not connected. Connect it`,
    ended: `The connection to ${title} has ended. Connect it again`,
    unreadable: isGoogleIntegration(name)
      ? `The stored connection to ${title} cannot be decrypted, because SECRET_KEY has changed. Connect it again`
      : `The stored API key of ${title} cannot be decrypted, because SECRET_KEY has changed. Enter the key again`,
    'for another address': `The operator of this server has changed the address of ${title}, so your API key was not sent. Enter the key for the new address`,
  }
  return new AppError('not_connected', `${sentences[reason]} under Settings, Integrations.`)
}

/** Returns the error of a request that was allowed for an earlier account or key of the integration. */
export function credentialReplaced(name: string): AppError {
  const title = titleOfIntegration(name)
  const change = isGoogleIntegration(name)
    ? `${title} was connected again`
    : `The API key of ${title} was replaced`
  return new AppError(
    'conflict',
    `${change} before the request was sent, so the request was not sent. Try again.`,
  )
}

export function isNotConnected(error: unknown): boolean {
  return error instanceof AppError && error.code === 'not_connected'
}
