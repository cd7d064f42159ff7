import type { Integration } from '@yonder/contract/integration'
import useSWR from 'swr'
import { integrationsKey } from './integrations-key.ts'

/** The integrations that a person has added (§7.20). */
export function useIntegrationList() {
  return useSWR<readonly Integration[], Error>(integrationsKey)
}
