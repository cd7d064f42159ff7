import type { IntegrationInput } from '@yonder/contract/integration'
import { changeSecret } from '../db/secrets/change-secret.ts'
import type { IntegrationRow } from '../db/tables/integration-tables.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { requireIntegration, updateIntegration } from './integration-store.ts'
import type { Owner } from './integration-store.ts'
import { requireAuthType } from './require-auth-type.ts'

/**
 * Gives an integration another key, or takes its key away. At Google there is nothing to change here, and a name stays.
 * @throws AppError `not_found`, `invalid_request`
 */
export async function changeIntegration(
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
    given: api_key,
    addressChanged: false,
  })
  if (changed === stored.api_key) return stored
  await updateIntegration(db, stored, { api_key: changed })
  deps.onChanged(user.id)
  return requireIntegration(db, user, name)
}
