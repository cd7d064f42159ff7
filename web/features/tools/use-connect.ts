import type { ConnectResult } from '@yonder/contract/connector'
import { useSWRConfig } from 'swr'
import { leaveFor } from '../../lib/leave-for.ts'
import { logError } from '../../lib/log-error.ts'
import { readReason } from '../../lib/api-error.ts'
import { useApi } from '../../lib/api-provider.tsx'
import { useIsOpen } from '../../lib/use-is-open.ts'
import { toast } from '../../lib/toasts.ts'
import { connectorsKey } from './use-connectors.ts'

/**
 * Connects a connector. Where a person has to consent first, the browser leaves for that page and comes back to `returnTo`;
 * it does not leave with somebody who is elsewhere by then.
 */
export function useConnect(): (server: string, returnTo: string) => Promise<void> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  const isOpen = useIsOpen()
  return async (server, returnTo) => {
    try {
      const result = await api.post<ConnectResult>(
        `/api/mcp-server/${encodeURIComponent(server)}/connect`,
        { return_to: returnTo },
        // The answer marks this browser, so that the consent can come back in no other one.
        { credentials: 'same-origin' },
      )
      if (result === undefined) return
      if (result.authorization_url === null) toast.success(`Connector "${server}" ${result.connector.status}`)
      else if (isOpen()) await leaveFor(result.authorization_url)
    } catch (error) {
      const message = `Failed to toggle connector "${server}": ${readReason(error)}`
      toast.error(message)
      logError(message, error)
    }
    void mutate(connectorsKey)
  }
}
