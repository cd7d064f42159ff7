import type { Integration, IntegrationInput } from '@yonder/contract/integration'
import { useSWRConfig } from 'swr'
import { logError } from '../../../lib/log-error.ts'
import { readReason } from '../../../lib/read-reason.ts'
import { useApi } from '../../../lib/use-api.ts'
import { toast } from '../../../lib/toasts.ts'
import { integrationAddress } from '../integration-address.ts'
import { integrationLabels } from '../integration-labels.ts'
import { integrationsKey } from '../integrations-key.ts'
import { titleOfIntegration } from '@yonder/contract/integration-names'
import { replaceIntegration } from '../replace-integration.ts'

export interface SavedKey {
  readonly isKept: boolean
  /** Why it is not, which the message of the failure leaves out. */
  readonly reason?: string
}

/** Keeps another key for an integration, or none (§4.28, §7.23), and tells how it went (§8.26, §8.33). */
export function useSaveKey(): (integration: Integration, key: string) => Promise<SavedKey> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  return async ({ name, auth_type }, key) => {
    const label = titleOfIntegration(name)
    const input: IntegrationInput = { name, auth_type, api_key: key, connected: key !== '' }
    try {
      const changed = await api.put<Integration>(integrationAddress(name), input)
      if (changed === undefined) return { isKept: false }
      void mutate<readonly Integration[]>(integrationsKey, (list) => replaceIntegration(list, name, changed))
      toast.success(`${label} API key updated successfully`)
      return { isKept: true }
    } catch (error) {
      const message = `Failed to update ${label} API key`
      toast.error(message)
      logError(message, error)
      // It may stand otherwise by now: here it is as it is.
      void mutate(integrationsKey)
      return { isKept: false, reason: readReason(error, integrationLabels) }
    }
  }
}
