import { googleIntegrations } from '@yonder/contract/integration-names'
import type { IntegrationDeps } from './integration-deps.ts'

/** The integrations that a person can add here (§7.21). */
export function listOffered({ keyedServers }: Pick<IntegrationDeps, 'keyedServers'>): string[] {
  return [...googleIntegrations, ...keyedServers.map(({ name }) => name)]
}

export function isOffered(deps: Pick<IntegrationDeps, 'keyedServers'>, name: string): boolean {
  return listOffered(deps).includes(name)
}
