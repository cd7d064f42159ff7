import type { Connector } from '@yonder/contract/connector'
import { StateBadge } from '../../../ui/states/state-badge.tsx'

const labels: Readonly<Record<Connector['status'], string>> = {
  connected: 'Connected',
  failed: 'Failed',
  disconnected: 'Disconnected',
}

/** Whether a connector works (§2.58). */
export function StatusBadge({ status }: { readonly status: Connector['status'] }) {
  return (
    <StateBadge tone={status === 'connected' ? 'success' : 'danger'} hollow={status === 'disconnected'}>
      {labels[status]}
    </StateBadge>
  )
}
