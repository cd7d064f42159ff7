import type { Integration, IntegrationInput } from '@yonder/contract/integration'
import { useSWRConfig } from 'swr'
import { logError } from '../../../lib/log-error.ts'
import { readReason } from '../../../lib/read-reason.ts'
import { useApi } from '../../../lib/use-api.ts'
import { toast } from '../../../lib/toasts.ts'
import { integrationLabels } from '../integration-labels.ts'
import { integrationsKey } from '../integrations-key.ts'
import { titleOfIntegration } from '@yonder/contract/integration-names'

/** Adds an integration and tells how it went (§8.27, §8.33). Answers whether it is there now. */
export function useCreateIntegration(): (input: IntegrationInput) => Promise<boolean> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  return async (input) => {
    try {
      const integration = await api.post<Integration>('/api/integration', input)
      if (integration === undefined) return false
      void mutate<readonly Integration[]>(integrationsKey, (known = []) => [
        // It may have been read already while its answer was on the way.
        ...known.filter(({ name }) => name !== integration.name),
        integration,
      ])
      toast.success(`Integration "${titleOfIntegration(integration.name)}" added successfully`)
      return true
    } catch (error) {
      const message = `Failed to save integration: ${readReason(error, integrationLabels)}`
      toast.error(message)
      logError(message, error)
      return false
    }
  }
}
