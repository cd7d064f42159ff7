import type { Connector } from '@yonder/contract/connector'
import { useSWRConfig } from 'swr'
import { logError } from '../../../lib/log-error.ts'
import { readReason } from '../../../lib/read-reason.ts'
import { useApi } from '../../../lib/use-api.ts'
import { toast } from '../../../lib/toasts.ts'
import { connectorAddress } from '../connector-address.ts'
import { connectorsKey } from '../connectors-key.ts'

/** Deletes the connector of this name and tells how it went (§8.19, §8.32). Answers whether it is gone now. */
export function useDeleteConnector(): (name: string) => Promise<boolean> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  return async (name) => {
    try {
      const answer = await api.delete<null>(connectorAddress(name))
      if (answer === undefined) return false
      void mutate<readonly Connector[]>(connectorsKey, (connectors = []) =>
        connectors.filter((connector) => connector.name !== name),
      )
      toast.success('Connector deleted successfully')
      return true
    } catch (error) {
      const message = `Failed to delete connector: ${readReason(error)}`
      toast.error(message)
      logError(message, error)
      // It may be another one by now, or none: here it is as it is.
      void mutate(connectorsKey)
      return false
    }
  }
}
