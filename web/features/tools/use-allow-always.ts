import type { Connector, ConnectorInput } from '@yonder/contract/connector'
import { toConnectorInput } from '@yonder/contract/connector-input'
import { useSWRConfig } from 'swr'
import { logError } from '../../lib/log-error.ts'
import { readReason } from '../../lib/api-error.ts'
import { useApi } from '../../lib/api-provider.tsx'
import { toast } from '../../lib/toasts.ts'
import { connectorsKey } from './use-connectors.ts'

/**
 * Puts a tool on its connector's list of allowed ones (§4.21), as the person saw it: `fingerprint` says what they saw.
 * Answers whether the call may run now.
 */
export function useAllowAlways() {
  const api = useApi()
  const { mutate } = useSWRConfig()
  return async (server: string, tool: string, fingerprint: string | undefined): Promise<boolean> => {
    try {
      const connectors = await api.get<readonly Connector[]>(connectorsKey)
      if (connectors === undefined) return false
      const connector = connectors.find(({ name }) => name === server)
      if (connector === undefined) {
        logError(`The tool "${tool}" is not allowed always: there is no connector "${server}"`)
        return true
      }
      // Without a list nothing asks any more; making one would only forbid the others.
      if (connector.allow_tools === null) return true
      const address = `/api/mcp-server/${encodeURIComponent(server)}`
      const changed = await api.put<Connector>(address, extendList(connector, tool, fingerprint))
      if (changed === undefined) return false
      toast.success(`Allow tools updated successfully for "${server}"`)
      return true
    } catch (error) {
      const message = `Failed to update allow tools: ${readReason(error)}`
      toast.error(message)
      logError(message, error)
      return false
    } finally {
      void mutate(connectorsKey)
    }
  }
}

/** The whole connector, as a change of it is sent (§7.16). */
function extendList(connector: Connector, tool: string, fingerprint: string | undefined): ConnectorInput {
  return {
    ...toConnectorInput(connector),
    allow_tools: [...new Set([...(connector.allow_tools ?? []), tool])],
    ...(fingerprint === undefined ? {} : { tool_fingerprints: { [tool]: fingerprint } }),
  }
}
