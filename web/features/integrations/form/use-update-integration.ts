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

/** Changes the integration of this name and tells how it went (§8.27, §8.33). Answers whether it is changed now. */
export function useUpdateIntegration(): (name: string, input: IntegrationInput) => Promise<boolean> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  return async (name, input) => {
    try {
      const changed = await api.put<Integration>(integrationAddress(name), input)
      if (changed === undefined) return false
      void mutate<readonly Integration[]>(integrationsKey, (list) => replaceIntegration(list, name, changed))
      toast.success(`Integration "${titleOfIntegration(changed.name)}" updated successfully`)
      return true
    } catch (error) {
      const message = `Failed to save integration: ${readReason(error, integrationLabels)}`
      toast.error(message)
      logError(message, error)
      // It may stand otherwise by now: here it is as it is.
      void mutate(integrationsKey)
      return false
    }
  }
}
