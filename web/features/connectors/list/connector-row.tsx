import type { Connector } from '@yonder/contract/connector'
import { useId } from 'react'
import { useToggleConnector } from '../../../data/connector-toggle.ts'
import { Button } from '../../../ui/button/button.tsx'
import { ConfirmOriginsDialog } from '../../../ui/dialog/confirm-origins-dialog.tsx'
import { Entry } from '../../../ui/entry-list.tsx'
import { QuotedText } from '../../../ui/quoted-text.tsx'
import { StateBadge } from '../../../ui/states/state-badge.tsx'
import { isDefaultConnector } from '../is-default-connector.ts'

export interface ConnectorRowProps {
  readonly connector: Connector
  readonly onConfigure: () => void
  readonly onEdit: () => void
  readonly onDelete: () => void
}

/** One connector: its name, address and status, and the buttons for its actions. */
export function ConnectorRow({ connector, onConfigure, onEdit, onDelete }: ConnectorRowProps) {
  const id = useId()
  const { name, url, status, error_message, notice } = connector
  return (
    <Entry
      id={id}
      stacks
      name={<bdi>{name}</bdi>}
      status={<StatusBadge status={status} />}
      detail={
        <bdi title={url} className="line-clamp-2 wrap-anywhere">
          {url}
        </bdi>
      }
      actions={
        <>
          <Button size="small" look="muted" aria-describedby={id} onClick={onConfigure}>
            Configure
          </Button>
          <ToggleButton connector={connector} describedBy={id} />
          {!isDefaultConnector(connector) && (
            <>
              <Button size="small" look="muted" aria-describedby={id} onClick={onEdit}>
                Edit
              </Button>
              <Button size="small" look="muted" aria-describedby={id} onClick={onDelete}>
                Delete
              </Button>
            </>
          )}
        </>
      }
    >
      {error_message !== null && (
        <p className="mt-1 text-sm text-danger wrap-anywhere">
          <QuotedText>{error_message}</QuotedText>
        </p>
      )}
      {notice !== null && <p className="mt-1 text-sm text-muted wrap-anywhere">{notice}</p>}
    </Entry>
  )
}

function ToggleButton({
  connector,
  describedBy,
}: {
  readonly connector: Connector
  readonly describedBy: string
}) {
  const { isToggling, question, toggle } = useToggleConnector(connector, '/settings/connectors')
  const action = connector.status === 'connected' ? 'Disconnect' : 'Connect'
  return (
    // As wide as the longest text of the button where there is space, so that the buttons beside it do not move.
    <span className="grid @xl:min-w-30">
      <Button
        size="small"
        look="muted"
        busy={isToggling}
        aria-describedby={describedBy}
        onClick={() => void toggle()}
      >
        {isToggling ? 'Toggling...' : action}
      </Button>
      {question && (
        <ConfirmOriginsDialog name={connector.name} origins={question.origins} onAnswer={question.answer} />
      )}
    </span>
  )
}

const statusLabels: Readonly<Record<Connector['status'], string>> = {
  connected: 'Connected',
  failed: 'Failed',
  disconnected: 'Disconnected',
}

/** The status of a connector. */
function StatusBadge({ status }: { readonly status: Connector['status'] }) {
  return (
    <StateBadge tone={status === 'connected' ? 'success' : 'danger'} hollow={status === 'disconnected'}>
      {statusLabels[status]}
    </StateBadge>
  )
}
