import type { Integration } from '@yonder/contract/integration'
import { authTypeOf, isGoogleIntegration, titleOfIntegration } from '@yonder/contract/integration-names'
import { maskSecret } from '../db/secrets/credential.ts'
import { integrationKeyContext } from '../db/secrets/seal-contexts.ts'
import type { IntegrationRow } from '../db/tables/integration-tables.ts'
import { findCredentialProblem, isConnected, type CredentialProblem } from './integration-credential.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { isOffered } from './manage-integrations.ts'
import { googleScopes } from './oauth/scopes.ts'

/** Converts an integration to what its owner may read: the API key is masked, tokens are left out. */
export function presentIntegration(
  deps: Pick<IntegrationDeps, 'sealer' | 'apiKeyServices'>,
  integration: IntegrationRow,
): Integration {
  const connected = isConnected(deps, integration)
  const problem = findCredentialProblem(deps, integration)
  const failure = connected ? integration.call_error : null
  return {
    name: integration.name,
    auth_type: authTypeOf(integration.name),
    connected,
    // Null when the stored key cannot be used, so that the form asks for a key.
    api_key:
      problem === null
        ? maskSecret(deps.sealer, integrationKeyContext(integration), integration.api_key)
        : null,
    notice: describeNotice(deps, integration, problem),
    ...(failure === null ? {} : { error_message: failure }),
  }
}

/**
 * Returns the notice on the card: why the integration cannot be used, or what was not allowed. Null without
 * one.
 */
function describeNotice(
  deps: Pick<IntegrationDeps, 'sealer' | 'apiKeyServices'>,
  row: IntegrationRow,
  problem: CredentialProblem | null,
): string | null {
  if (!isOffered(deps, row.name)) {
    return 'This server no longer offers this integration. Ask its operator to add it again.'
  }
  if (problem === 'unreadable' && row.tokens !== null) {
    return 'The stored connection to Google cannot be decrypted, because SECRET_KEY of this server has changed. Connect again to use it.'
  }
  if (problem === 'unreadable') {
    return 'Your API key cannot be decrypted, because SECRET_KEY of this server has changed. Enter the key again.'
  }
  if (problem === 'for another address') {
    return `The operator of this server has changed the address of ${titleOfIntegration(row.name)}, so your API key is no longer sent. Enter the key for the new address.`
  }
  if (row.ended === 1) return 'Google has ended this connection. Connect again to use it.'
  if (row.tokens === null || !isGoogleIntegration(row.name)) return null
  const granted = new Set(row.scopes?.split(' '))
  const missing = googleScopes[row.name].filter(({ scope }) => !granted.has(scope))
  if (missing.length === 0) return null
  const actions = missing.map(({ allows }) => allows).join(', or to ')
  return `You did not allow Yonder to ${actions}. To change that, disconnect and connect again.`
}
