import type { Connector } from '@yonder/contract/connector'
import { describeToggleFailure } from './describe-toggle-failure.ts'

/** What a person is told who comes back from an authorization server. */
export interface AuthorizationNews {
  readonly kind: 'success' | 'error'
  readonly text: string
}

const reasons = {
  denied: 'You did not give your consent.',
  expired: 'The way back came too late, or was used before. Connect again.',
  failed: 'The authorization did not work. Connect again.',
} as const

/**
 * Reads how consent went from the address that the browser came back to (§8.20, §8.32). Anybody can write such an address:
 * a name in it is repeated only if one of this person's connectors has it, and that it is connected only if it is.
 */
export function readAuthorizationReturn(
  params: URLSearchParams,
  connectors: readonly Connector[],
): AuthorizationNews | undefined {
  const outcome = params.get('authorization')
  if (outcome === null) return undefined
  const connector = connectors.find(({ name }) => name === params.get('connector'))
  if (outcome === 'connected' && connector?.status === 'connected')
    return { kind: 'success', text: `Connector "${connector.name}" connected` }
  const reason = outcome === 'denied' || outcome === 'expired' ? reasons[outcome] : explainFailed(connector)
  return { kind: 'error', text: describeToggleFailure(connector?.name, reason) }
}

function explainFailed(connector: Connector | undefined): string {
  return connector?.error_message ?? reasons.failed
}
