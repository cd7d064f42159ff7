import type { Connector, ConnectorInput } from '@yonder/contract/connector'
import { useSWRConfig } from 'swr'
import { logError } from '../../../lib/log-error.ts'
import { readReason } from '../../../lib/read-reason.ts'
import { useApi } from '../../../lib/use-api.ts'
import { toast } from '../../../lib/toasts.ts'
import { connectorAddress } from '../connector-address.ts'
import { connectorLabels } from '../connector-labels.ts'
import { connectorsKey } from '../connectors-key.ts'
import { replaceConnector } from '../replace-connector.ts'

/** Changes the connector of this name and tells how it went (§8.18, §8.32). Answers whether it is changed now. */
export function useUpdateConnector(): (name: string, input: ConnectorInput) => Promise<boolean> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  return async (name, input) => {
    try {
      const changed = await api.put<Connector>(connectorAddress(name), input)
      if (changed === undefined) return false
      void mutate<readonly Connector[]>(connectorsKey, (list) => replaceConnector(list, name, changed))
      toast.success(`Connector "${changed.name}" updated successfully`)
      return true
    } catch (error) {
      const message = `Failed to save connector: ${readReason(error, connectorLabels)}`
      toast.error(message)
      logError(message, error)
      // It may be another one by now, or none: here it is as it is.
      void mutate(connectorsKey)
      return false
    }
  }
}
