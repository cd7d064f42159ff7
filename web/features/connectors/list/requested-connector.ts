import type { Connector } from '@yonder/contract/connector'
import { useEffect } from 'react'
import { useSearchParams } from 'react-router'

/**
 * Calls `onRequest` with the connector that `?configure=` names, as soon as the list is loaded, and removes the name
 * from the address. If no connector has this name, `onRequest` is not called.
 */
export function useRequestedConnector(
  connectors: readonly Connector[] | undefined,
  onRequest: (connector: Connector) => void,
): void {
  const [params, setParams] = useSearchParams()
  const requested = params.get('configure')
  useEffect(() => {
    if (connectors === undefined || requested === null) return
    const connector = connectors.find(({ name }) => name === requested)
    if (connector !== undefined) onRequest(connector)
    setParams({}, { replace: true })
  }, [connectors, requested, onRequest, setParams])
}
