import type { AuthType, IntegrationInput } from '@yonder/contract/integration'
import { authTypeOf, googleIntegrations, titleOfIntegration } from '@yonder/contract/integration-names'
import { type Actor, ownedBy } from '../access/access.ts'
import { refuseTakenName } from '../db/refuse-taken-name.ts'
import { changeSecret } from '../db/secrets/credential.ts'
import { integrationKeyContext } from '../db/secrets/seal-contexts.ts'
import type { IntegrationRow } from '../db/tables/integration-tables.ts'
import { AppError } from '../lib/app-error.ts'
import { addressOfService, openGoogleTokens } from './integration-credential.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import {
  insertIntegration,
  listIntegrations,
  requireIntegration,
  disconnected,
  updateIntegration,
} from './integration-store.ts'
import { revokeInBackground } from './oauth/google-access.ts'

/** Returns the names of the integrations that users can add. */
export function listIntegrationTypes({ apiKeyServices }: Pick<IntegrationDeps, 'apiKeyServices'>): string[] {
  return [...googleIntegrations, ...apiKeyServices.map(({ name }) => name)]
}

/** Whether this server offers an integration. One stays stored when the operator removes its API-key service. */
export function isOffered(deps: Pick<IntegrationDeps, 'apiKeyServices'>, name: string): boolean {
  return listIntegrationTypes(deps).includes(name)
}

/**
 * Adds an integration. One with an API key is connected at once, one at Google when the user has consented.
 * @throws AppError `invalid_request` for a name, type or key that is not valid, `name_taken` when the user has added it
 */
export async function createIntegration(
  deps: IntegrationDeps,
  user: Actor,
  { name, auth_type, api_key }: IntegrationInput,
): Promise<IntegrationRow> {
  const { database, now } = deps
  requireAuthType(deps, name, auth_type)
  const owned = { ...ownedBy(user), name }
  const sealed = auth_type === 'oauth' ? null : changeKey(deps, { ...owned, api_key: null }, api_key)
  if (auth_type !== 'oauth' && sealed === null)
    throw new AppError('invalid_request', 'API key is required for API Key authentication')
  const others = await listIntegrations(database.db, user)
  const integration: IntegrationRow = {
    ...owned,
    version: 1,
    ...disconnected,
    api_key: sealed,
    call_error: null,
    refreshing_until: null,
    // Later than all others, so that integrations are listed in the order in which the user added them.
    created_at: Math.max(now(), ...others.map((other) => other.created_at + 1)),
  }
  await refuseTakenName(database.dialect, `You have already added ${titleOfIntegration(name)}.`, () =>
    insertIntegration(database.db, integration),
  )
  deps.onChanged(user.id)
  return integration
}

/**
 * Keeps, replaces or removes the API key of an integration, as `changeSecret` decides, and returns the integration. An
 * integration at Google stays as it is.
 * @throws AppError `not_found`, `invalid_request` for one that is not offered, another type or a key that is not valid
 */
export async function updateApiKey(
  deps: IntegrationDeps,
  user: Actor,
  name: string,
  { auth_type, api_key }: IntegrationInput,
): Promise<IntegrationRow> {
  const { db } = deps.database
  const stored = await requireIntegration(db, user, name)
  requireAuthType(deps, name, auth_type)
  if (auth_type === 'oauth') return stored
  const changed = changeKey(deps, stored, api_key)
  if (changed === stored.api_key) return stored
  await updateIntegration(db, stored, { api_key: changed })
  deps.onChanged(user.id)
  return requireIntegration(db, user, name)
}

/**
 * Erases the key or tokens of an integration and returns the integration. Tokens are also revoked at Google,
 * unless another integration needs the consent. They are revoked in the background, and a failure is only
 * logged.
 * @throws AppError `not_found`
 */
export async function disconnectIntegration(
  deps: IntegrationDeps,
  user: Actor,
  name: string,
): Promise<IntegrationRow> {
  const { db } = deps.database
  let stored = await requireIntegration(db, user, name)
  // When the user has connected another account since `stored` was read, that account is disconnected, and its tokens
  // are the ones to revoke.
  while (!(await updateIntegration(db, stored, disconnected, stored.version))) {
    stored = await requireIntegration(db, user, name)
  }
  deps.onChanged(user.id)
  const tokens = openGoogleTokens(deps.sealer, stored)
  if (tokens !== undefined) revokeInBackground(deps, user, tokens.refreshToken)
  return requireIntegration(db, user, name)
}

/** Disconnects every integration of a user at Google. API keys stay. */
export async function disconnectGoogleIntegrations(deps: IntegrationDeps, user: Actor): Promise<void> {
  for (const { name, tokens } of await listIntegrations(deps.database.db, user)) {
    if (tokens !== null) await disconnectIntegration(deps, user, name)
  }
}

/**
 * Checks that an integration is offered and has this authentication type.
 * @throws AppError `invalid_request`
 */
function requireAuthType(
  deps: Pick<IntegrationDeps, 'apiKeyServices'>,
  name: string,
  authType: AuthType,
): void {
  if (!isOffered(deps, name)) {
    throw new AppError(
      'invalid_request',
      `name: this server offers no integration "${name}". Choose one from the list.`,
    )
  }
  const expected = authTypeOf(name)
  if (authType === expected) return
  const title = titleOfIntegration(name)
  throw new AppError(
    'invalid_request',
    expected === 'oauth'
      ? `auth_type: ${title} needs a sign-in at Google. Choose OAuth.`
      : `auth_type: ${title} needs an API key. Choose API Key.`,
  )
}

/**
 * Returns the sealed API key to store.
 * @throws AppError `invalid_request` for a key that no header can carry
 */
function changeKey(
  { sealer, apiKeyServices }: Pick<IntegrationDeps, 'sealer' | 'apiKeyServices'>,
  integration: Pick<IntegrationRow, 'user_id' | 'name' | 'api_key'>,
  input: string | null | undefined,
): string | null {
  return changeSecret(sealer, {
    field: 'api_key',
    context: integrationKeyContext(integration),
    stored: integration.api_key,
    input,
    address: addressOfService(apiKeyServices, integration.name),
    addressChanged: false,
  })
}
