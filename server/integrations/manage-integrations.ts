import type { IntegrationInput } from '@yonder/contract/integration'
import { titleOfIntegration } from '@yonder/contract/integration-names'
import { changeSecret } from '../db/secrets/change-secret.ts'
import type { IntegrationRow } from '../db/tables/integration-tables.ts'
import { AppError } from '../lib/app-error.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import {
  insertIntegration,
  listIntegrations,
  requireIntegration,
  unconnected,
  updateIntegration,
} from './integration-store.ts'
import type { Owner } from './integration-store.ts'
import { requireAuthType } from './integration-types.ts'
import { openGoogleTokens, revokeInBackground } from './oauth/tokens.ts'

/**
 * Adds an integration. With an API key it is connected, at Google it is not connected before the user consents (§4.28,
 * §19.17).
 * @throws AppError `invalid_request`, `name_taken`
 */
export async function createIntegration(
  deps: IntegrationDeps,
  user: Owner,
  { name, auth_type, api_key }: IntegrationInput,
): Promise<IntegrationRow> {
  const { database, sealer, now } = deps
  requireAuthType(deps, name, auth_type)
  const others = await listIntegrations(database.db, user)
  const integration: IntegrationRow = {
    user_id: user.id,
    name,
    version: 1,
    ...unconnected,
    api_key: auth_type === 'oauth' ? null : sealKey(sealer, api_key),
    refreshing_until: null,
    // Unique, because integrations are listed in the order of adding, also within one millisecond.
    created_at: Math.max(now(), ...others.map((other) => other.created_at + 1)),
  }
  try {
    await insertIntegration(database.db, integration)
  } catch (error) {
    if (!database.dialect.isUniqueViolation(error)) throw error
    throw new AppError('name_taken', `You have already added ${titleOfIntegration(name)}.`, { cause: error })
  }
  deps.onChanged(user.id)
  return integration
}

/**
 * Replaces or removes the API key of an integration. An integration at Google stays as it is, and so does the name
 * (§19.4).
 * @throws AppError `not_found`, `invalid_request`
 */
export async function updateApiKey(
  deps: IntegrationDeps,
  user: Owner,
  name: string,
  { auth_type, api_key }: IntegrationInput,
): Promise<IntegrationRow> {
  const { db } = deps.database
  const stored = await requireIntegration(db, user, name)
  requireAuthType(deps, name, auth_type)
  if (auth_type === 'oauth') return stored
  const changed = changeSecret(deps.sealer, {
    field: 'api_key',
    stored: stored.api_key,
    input: api_key,
    addressChanged: false,
  })
  if (changed === stored.api_key) return stored
  await updateIntegration(db, stored, { api_key: changed })
  deps.onChanged(user.id)
  return requireIntegration(db, user, name)
}

/**
 * Erases the key or tokens of an integration. Tokens are also revoked at Google, in the background: the user does not
 * wait for Google and sees no failure of it (§19.5, §19.11).
 * @throws AppError `not_found`
 */
export async function disconnectIntegration(
  deps: IntegrationDeps,
  user: Owner,
  name: string,
): Promise<IntegrationRow> {
  const { db } = deps.database
  const stored = await requireIntegration(db, user, name)
  await updateIntegration(db, stored, unconnected)
  deps.onChanged(user.id)
  const tokens = stored.tokens === null ? undefined : openGoogleTokens(deps.sealer, stored.tokens)
  if (tokens !== undefined) revokeInBackground(deps, user, tokens.refreshToken)
  return requireIntegration(db, user, name)
}

function sealKey(sealer: IntegrationDeps['sealer'], apiKey: string | null | undefined): string {
  const sealed = changeSecret(sealer, {
    field: 'api_key',
    stored: null,
    input: apiKey,
    addressChanged: false,
  })
  if (sealed === null) {
    throw new AppError('invalid_request', 'API key is required for API Key authentication')
  }
  return sealed
}
