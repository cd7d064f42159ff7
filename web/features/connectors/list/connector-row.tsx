import type { Connector } from '@yonder/contract/connector'
import { useToggleConnector } from '../../../data/connector-toggle.ts'
import { ConfirmOriginsDialog } from '../../../ui/dialog/confirm-origins-dialog.tsx'
import { Entry, EntryButton, StateBadge } from '../../../ui/entry-list.tsx'
import { QuotedText } from '../../../ui/quoted-text.tsx'

export type ConnectorAction = 'configure' | 'edit' | 'delete'

export interface ConnectorRowProps {
  readonly connector: Connector
  readonly onOpen: (action: ConnectorAction) => void
}

/** One connector: its name, address and status, and the buttons for its actions. */
export function ConnectorRow({ connector, onOpen }: ConnectorRowProps) {
  const { name, url, status, error_message, notice } = connector
  return (
    <Entry
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
          <EntryButton onClick={() => onOpen('configure')}>Configure</EntryButton>
          <ToggleButton connector={connector} />
          {!isDefaultConnector(connector) && (
            <>
              <EntryButton onClick={() => onOpen('edit')}>Edit</EntryButton>
              <EntryButton onClick={() => onOpen('delete')}>Delete</EntryButton>
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

function ToggleButton({ connector }: { readonly connector: Connector }) {
  const { isToggling, question, toggle } = useToggleConnector(connector, '/settings/connectors')
  const action = connector.status === 'connected' ? 'Disconnect' : 'Connect'
  return (
    // As wide as the longest text of the button where there is space, so that the buttons beside it do not move.
    <span className="grid @xl:min-w-30">
      <EntryButton busy={isToggling} onClick={() => void toggle()}>
        {isToggling ? 'Toggling...' : action}
      </EntryButton>
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

/** Whether a connector comes with the product. It is listed first and cannot be edited or deleted. */
export function isDefaultConnector({ is_default, name }: Connector): boolean {
  return is_default || name === 'default'
}
