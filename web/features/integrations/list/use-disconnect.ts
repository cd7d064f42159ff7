import type { Integration } from '@yonder/contract/integration'
import { useSWRConfig } from 'swr'
import { logError } from '../../../lib/log-error.ts'
import { useApi } from '../../../lib/use-api.ts'
import { toast } from '../../../lib/toasts.ts'
import { integrationAddress } from '../integration-address.ts'
import { integrationsKey } from '../integrations-key.ts'
import { titleOfIntegration } from '@yonder/contract/integration-names'
import { replaceIntegration } from '../replace-integration.ts'

/** Ends a connection and tells how it went (§7.24, §8.25, §8.33). Answers whether it is ended now. */
export function useDisconnect(): (name: string) => Promise<boolean> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  return async (name) => {
    const label = titleOfIntegration(name)
    try {
      const ended = await api.post<Integration>(integrationAddress(name, 'disconnect'))
      if (ended === undefined) return false
      void mutate<readonly Integration[]>(integrationsKey, (list) => replaceIntegration(list, name, ended))
      toast.success(`${label} disconnected successfully`)
      return true
    } catch (error) {
      const message = `Failed to disconnect ${label}`
      toast.error(message)
      logError(message, error)
      // It may stand otherwise by now: here it is as it is.
      void mutate(integrationsKey)
      return false
    }
  }
}
