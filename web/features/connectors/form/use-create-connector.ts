import type { Connector, ConnectorInput } from '@yonder/contract/connector'
import { useSWRConfig } from 'swr'
import { logError } from '../../../lib/log-error.ts'
import { readReason } from '../../../lib/read-reason.ts'
import { useApi } from '../../../lib/use-api.ts'
import { toast } from '../../../lib/toasts.ts'
import { connectorLabels } from '../connector-labels.ts'
import { connectorsKey } from '../connectors-key.ts'

/** What a failure begins with: of the form (§8.18), or of the catalogue (§8.22). */
type Failure = 'Failed to save connector' | 'Failed to add connector'

/** Creates a connector and tells how it went (§8.32). Answers whether it is there now. */
export function useCreateConnector(failure: Failure): (input: ConnectorInput) => Promise<boolean> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  return async (input) => {
    try {
      const connector = await api.post<Connector>('/api/mcp-server', input)
      if (connector === undefined) return false
      void mutate<readonly Connector[]>(connectorsKey, (connectors = []) => [
        // It may have been read already while its answer was on the way.
        ...connectors.filter(({ name }) => name !== connector.name),
        connector,
      ])
      toast.success(`Connector "${connector.name}" added successfully`)
      return true
    } catch (error) {
      const message = `${failure}: ${readReason(error, connectorLabels)}`
      toast.error(message)
      logError(message, error)
      return false
    }
  }
}
