import type { Connector, ConnectResult } from '@yonder/contract/connector'
import { useSWRConfig } from 'swr'
import type { ApiClient } from '../../../lib/api-client.ts'
import { leaveFor } from '../../../lib/leave-for.ts'
import { logError } from '../../../lib/log-error.ts'
import { readReason } from '../../../lib/read-reason.ts'
import { useApi } from '../../../lib/use-api.ts'
import { useIsOpen } from '../../../lib/use-is-open.ts'
import { toast } from '../../../lib/toasts.ts'
import { connectorAddress } from '../connector-address.ts'
import { connectorsKey } from '../connectors-key.ts'
import { describeToggleFailure } from './describe-toggle-failure.ts'
import { togglesUnderWay } from './pending-toggles.ts'

/**
 * Connects a connector that is not connected, disconnects one that is, and tells how it went (§4.27, §8.20, §8.32). Where a
 * person has to consent first, the browser leaves for that page, and comes back to a row that is free again. It does not
 * leave with somebody who is elsewhere by then.
 */
export function useToggleConnector(): (connector: Connector) => Promise<void> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  const isOpen = useIsOpen()
  return async (connector) => {
    const end = togglesUnderWay.begin(connector.name)
    try {
      const result = await toggle(api, connector)
      if (result === undefined) return end()
      if (result.authorization_url === null)
        toast.success(`Connector "${connector.name}" ${result.connector.status}`)
      else if (isOpen()) {
        // Whoever stops the browser on its way finds a free row when they come back to the list.
        end()
        await leaveFor(result.authorization_url)
      }
    } catch (error) {
      const message = describeToggleFailure(connector.name, readReason(error))
      toast.error(message)
      logError(message, error)
    }
    // How it went stands in the list, also when it failed; until it is there, the row is busy.
    await mutate(connectorsKey)
    end()
  }
}

async function toggle(api: ApiClient, { name, status }: Connector): Promise<ConnectResult | undefined> {
  if (status === 'connected') {
    const connector = await api.post<Connector>(connectorAddress(name, 'disconnect'))
    return connector && { connector, authorization_url: null }
  }
  return api.post<ConnectResult>(
    connectorAddress(name, 'connect'),
    { return_to: '/settings/connectors' },
    // The answer marks this browser, so that the consent can come back in no other one.
    { credentials: 'same-origin' },
  )
}
