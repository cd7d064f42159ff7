import { isGoogleIntegration, titleOfIntegration } from '@yonder/contract/integration-names'
import type { IntegrationRow } from '../db/tables/integration-tables.ts'
import { AppError } from '../lib/app-error.ts'
import { addressOfService, openApiKey } from './api-key.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { listIntegrations } from './integration-store.ts'
import { openGoogleTokens } from './oauth/seal-tokens.ts'

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

type StatusDeps = Pick<IntegrationDeps, 'sealer' | 'apiKeyServices'>

/**
 * Whether an integration has tokens or a key that can be used. The key of a service that is not offered any more counts
 * as usable.
 */
export function isConnected(deps: StatusDeps, row: IntegrationRow): boolean {
  return (row.tokens !== null || row.api_key !== null) && findCredentialProblem(deps, row) === null
}

/**
 * `for another address`: the service has another address now than the one that its key was entered for.
 * `unreadable`: the key or the tokens cannot be decrypted, because SECRET_KEY has changed.
 */
export type CredentialProblem = 'for another address' | 'unreadable'

/** Returns why the stored key or tokens cannot be used, or null when they can be used or nothing is stored. */
export function findCredentialProblem(
  { sealer, apiKeyServices }: StatusDeps,
  row: IntegrationRow,
): CredentialProblem | null {
  if (row.tokens !== null) {
    return openGoogleTokens(sealer, row, row.tokens) === undefined ? 'unreadable' : null
  }
  // The key of a service that is not offered any more is not sent anywhere, so it has no problem.
  const address = addressOfService(apiKeyServices, row.name)
  if (address === null) return null
  const { kind } = openApiKey(sealer, row, address)
  return kind === 'for another address' || kind === 'unreadable' ? kind : null
}

/**
 * Returns the status of each integration that a user has connected, by name. Connections that Google has ended and keys
 * that cannot be used are included.
 */
export async function listStatuses(
  deps: Pick<IntegrationDeps, 'database'> & StatusDeps,
  userId: string,
): Promise<ReadonlyMap<string, IntegrationStatus>> {
  const rows = await listIntegrations(deps.database.db, { id: userId })
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
 * `missing`: never connected, or disconnected. `ended`: Google has ended the consent. `unreadable`: the tokens cannot
 * be decrypted.
 */
export type DisconnectReason = 'missing' | 'ended' | 'unreadable'

/** Returns the error of a tool call whose integration is not connected. Users and models read its message. */
export function notConnected(name: string, reason: DisconnectReason): AppError {
  const title = titleOfIntegration(name)
  switch (reason) {
    case 'missing':
      return new AppError(
        'not_connected',
        `${title} is not connected. Connect it under Settings, Integrations.`,
      )
    case 'ended':
      return new AppError(
        'not_connected',
        `The connection to ${title} has ended. Connect it again under Settings, Integrations.`,
      )
    case 'unreadable':
      return new AppError(
        'not_connected',
        `The stored connection to ${title} cannot be decrypted, because SECRET_KEY has changed. Connect it again under Settings, Integrations.`,
      )
  }
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
