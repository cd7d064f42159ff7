import type { AuthType } from '@yonder/contract/integration'
import { authTypeOf, googleIntegrations, titleOfIntegration } from '@yonder/contract/integration-names'
import { AppError } from '../lib/app-error.ts'
import type { IntegrationDeps } from './integration-deps.ts'

/** The names of the integrations that users can add (§7.21). */
export function listIntegrationTypes({ apiKeyServices }: Pick<IntegrationDeps, 'apiKeyServices'>): string[] {
  return [...googleIntegrations, ...apiKeyServices.map(({ name }) => name)]
}

export function isOffered(deps: Pick<IntegrationDeps, 'apiKeyServices'>, name: string): boolean {
  return listIntegrationTypes(deps).includes(name)
}

/**
 * Checks that an integration is offered and uses this way to authenticate (§5.15, §19.18).
 * @throws AppError `invalid_request`
 */
export function requireAuthType(
  deps: Pick<IntegrationDeps, 'apiKeyServices'>,
  name: string,
  authType: AuthType,
): void {
  if (!isOffered(deps, name)) {
    throw new AppError('invalid_request', `name: there is no integration "${name}" here`)
  }
  const expected = authTypeOf(name)
  if (authType === expected) return
  const how = expected === 'oauth' ? 'at Google (oauth)' : 'with an API key (api_key)'
  throw new AppError('invalid_request', `auth_type: ${titleOfIntegration(name)} is connected ${how}`)
}
