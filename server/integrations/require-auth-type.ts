import type { AuthType } from '@yonder/contract/integration'
import { authTypeOf, titleOfIntegration } from '@yonder/contract/integration-names'
import { AppError } from '../lib/app-error.ts'
import type { IntegrationDeps } from './integration-deps.ts'
import { isOffered } from './is-offered.ts'

/**
 * Only what is offered here, and only in its own way (§5.15).
 * @throws AppError `invalid_request`
 */
export function requireAuthType(
  deps: Pick<IntegrationDeps, 'apiKeyServices'>,
  name: string,
  given: AuthType,
): void {
  if (!isOffered(deps, name)) {
    throw new AppError('invalid_request', `name: there is no integration "${name}" here`)
  }
  const needed = authTypeOf(name)
  if (given === needed) return
  const how = needed === 'oauth' ? 'at Google (oauth)' : 'with an API key (api_key)'
  throw new AppError('invalid_request', `auth_type: ${titleOfIntegration(name)} is connected ${how}`)
}
