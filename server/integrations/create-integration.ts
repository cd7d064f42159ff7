import type { IntegrationInput } from '@yonder/contract/integration'
import { titleOfIntegration } from '@yonder/contract/integration-names'
import { changeSecret } from '../db/secrets/change-secret.ts'
import type { IntegrationRow } from '../db/tables/integration-tables.ts'
import { AppError } from '../lib/app-error.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { insertIntegration, listIntegrations, unconnected } from './integration-store.ts'
import type { Owner } from './integration-store.ts'
import { requireAuthType } from './require-auth-type.ts'

/**
 * Adds an integration for a person: connected with its key, or waiting for consent at Google (§4.28).
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
    // Listed in the order in which they were added, also within one millisecond.
    created_at: Math.max(now(), ...others.map((other) => other.created_at + 1)),
  }
  try {
    await insertIntegration(database.db, integration)
  } catch (error) {
    if (!database.dialect.isUniqueViolation(error)) throw error
    throw new AppError('name_taken', `You have added ${titleOfIntegration(name)} already.`, { cause: error })
  }
  deps.onChanged(user.id)
  return integration
}

function sealKey(sealer: IntegrationDeps['sealer'], given: string | null | undefined): string {
  const sealed = changeSecret(sealer, { field: 'api_key', stored: null, given, addressChanged: false })
  if (sealed === null) {
    throw new AppError('invalid_request', 'API key is required for API Key authentication')
  }
  return sealed
}
