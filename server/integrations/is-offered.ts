import { googleIntegrations } from '@yonder/contract/integration-names'
import type { IntegrationDeps } from './integration-deps.ts'

/** The integrations that a person can add here (§7.21). */
export function listOffered({ apiKeyServices }: Pick<IntegrationDeps, 'apiKeyServices'>): string[] {
  return [...googleIntegrations, ...apiKeyServices.map(({ name }) => name)]
}

export function isOffered(deps: Pick<IntegrationDeps, 'apiKeyServices'>, name: string): boolean {
  return listOffered(deps).includes(name)
}
