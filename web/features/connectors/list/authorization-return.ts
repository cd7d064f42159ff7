import type { Connector } from '@yonder/contract/connector'
import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import { describeToggleFailure } from '../../../data/connector-toggle.ts'
import { logError } from '../../../lib/log-error.ts'
import { toast } from '../../../lib/toasts.ts'

/** Shows how a consent ended, once after the browser has returned from it, and removes this from the address. */
export function useAuthorizationReturn(connectors: readonly Connector[] | undefined): void {
  const [params, setParams] = useSearchParams()
  const isShown = useRef(false)
  useEffect(() => {
    if (connectors === undefined || isShown.current) return
    const outcome = parseAuthorizationReturn(params, connectors)
    if (outcome === undefined) return
    isShown.current = true
    toast[outcome.kind](outcome.text)
    if (outcome.kind === 'error') logError(outcome.text)
    setParams({}, { replace: true })
  }, [connectors, params, setParams])
}

interface AuthorizationOutcome {
  readonly kind: 'success' | 'error'
  readonly text: string
}

const reasons = {
  denied: 'You did not give your consent.',
  expired:
    'This sign-in is not valid, for example because it was started more than ten minutes ago. Connect again.',
  failed: 'The authorization failed. Connect again.',
} as const

/**
 * Parses the outcome from the address to which the browser returned. Anyone can write such an address,
 * so a name is shown only if one of the user's connectors has it, and "connected" only if that connector is connected.
 */
function parseAuthorizationReturn(
  params: URLSearchParams,
  connectors: readonly Connector[],
): AuthorizationOutcome | undefined {
  const outcome = params.get('authorization')
  if (outcome === null) return undefined
  const connector = connectors.find(({ name }) => name === params.get('connector'))
  if (outcome === 'connected' && connector?.status === 'connected')
    return { kind: 'success', text: `Connector "${connector.name}" connected` }
  const known = outcome === 'denied' || outcome === 'expired' ? reasons[outcome] : reasons.failed
  // What the server said is stored with the connector.
  const reason = outcome === 'expired' ? known : (connector?.error_message ?? known)
  return { kind: 'error', text: describeToggleFailure(connector?.name, reason) }
}
