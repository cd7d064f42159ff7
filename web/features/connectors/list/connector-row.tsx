import type { Connector } from '@yonder/contract/connector'
import { useId, useState } from 'react'
import { useIsToggling, useToggleConnector } from '../../../data/connector-toggle.ts'
import { Button } from '../../../ui/button/button.tsx'
import { StateBadge } from '../../../ui/states/state-badge.tsx'
import { isDefaultConnector } from '../is-default-connector.ts'

export interface ConnectorRowProps {
  readonly connector: Connector
  readonly onConfigure: () => void
  readonly onEdit: () => void
  readonly onDelete: () => void
}

/** One connector: its name, address and status, and the buttons for its actions (§2.58, §2.59). */
export function ConnectorRow({ connector, onConfigure, onEdit, onDelete }: ConnectorRowProps) {
  const id = useId()
  const { name, url, status, error_message, notice } = connector
  return (
    <li className="flex flex-wrap items-start gap-x-4 gap-y-2 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
          <p id={id} className="min-w-0 text-sm font-medium wrap-anywhere">
            <bdi>{name}</bdi>
          </p>
          <StatusBadge status={status} />
        </div>
        <p className="mt-0.5 text-xs text-muted">
          <bdi title={url} className="line-clamp-2 wrap-anywhere">
            {url}
          </bdi>
        </p>
        {error_message !== null && <p className="mt-1 text-xs text-danger wrap-anywhere">{error_message}</p>}
        {notice !== null && <p className="mt-1 text-xs text-muted wrap-anywhere">{notice}</p>}
      </div>
      {/* The buttons have no border, so their texts are aligned with the text above. */}
      <div className="-mx-3 flex flex-wrap gap-1 sm:ml-0">
        <Button size="small" look="plain" aria-describedby={id} onClick={onConfigure}>
          Configure
        </Button>
        <ToggleButton connector={connector} describedBy={id} />
        {!isDefaultConnector(connector) && (
          <>
            <Button size="small" look="plain" aria-describedby={id} onClick={onEdit}>
              Edit
            </Button>
            <Button size="small" look="plain" aria-describedby={id} onClick={onDelete}>
              Delete
            </Button>
          </>
        )}
      </div>
    </li>
  )
}

function ToggleButton({
  connector,
  describedBy,
}: {
  readonly connector: Connector
  readonly describedBy: string
}) {
  const toggle = useToggleConnector('/settings/connectors')
  const [pressed, setPressed] = useState(false)
  // The toggle can also have been started by a row that is no longer mounted.
  const isToggling = useIsToggling(connector.name)
  const busy = pressed || isToggling

  const press = async () => {
    setPressed(true)
    await toggle(connector)
    setPressed(false)
  }

  const action = connector.status === 'connected' ? 'Disconnect' : 'Connect'
  return (
    // As wide as its longest text, so that the buttons beside it do not move.
    <span className="grid min-w-30">
      <Button
        size="small"
        look="plain"
        busy={busy}
        aria-describedby={describedBy}
        onClick={() => void press()}
      >
        {busy ? 'Toggling...' : action}
      </Button>
    </span>
  )
}

const statusLabels: Readonly<Record<Connector['status'], string>> = {
  connected: 'Connected',
  failed: 'Failed',
  disconnected: 'Disconnected',
}

/** The status of a connector (§2.58). */
function StatusBadge({ status }: { readonly status: Connector['status'] }) {
  return (
    <StateBadge tone={status === 'connected' ? 'success' : 'danger'} hollow={status === 'disconnected'}>
      {statusLabels[status]}
    </StateBadge>
  )
}
