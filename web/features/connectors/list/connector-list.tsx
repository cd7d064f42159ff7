import type { Connector } from '@yonder/contract/connector'
import { Plug } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { useToggleConnector } from '../../../data/connector-toggle.ts'
import { connectRequest, useConnectors } from '../../../data/connectors.ts'
import { readReason } from '../../../lib/api/api-error.ts'
import { useStore } from '../../../lib/store.ts'
import { ConfirmOriginsDialog } from '../../../ui/dialog/confirm-origins-dialog.tsx'
import { Entry, EntryButton, EntryList, StateBadge } from '../../../ui/entry-list.tsx'
import { QuotedText } from '../../../ui/quoted-text.tsx'
import { ErrorState } from '../../../ui/states/error-state.tsx'
import { EmptyState, LoadingState } from '../../../ui/states/states.tsx'

export interface ConnectorListProps {
  /** Called when the user presses the button of an action. */
  readonly onOpen: (action: ConnectorAction, connector: Connector) => void
}

/**
 * The list of connectors and its loading, empty and error states. A loaded list stays when a later
 * request fails.
 */
export function ConnectorList({ onOpen }: ConnectorListProps) {
  const { data: connectors, error } = useConnectors()
  if (connectors === undefined && error !== undefined) {
    return (
      <ErrorState title="Error loading connector configurations" onRetry={() => location.reload()}>
        {readReason(error)}
      </ErrorState>
    )
  }
  if (connectors === undefined) return <LoadingState>Loading connector configurations...</LoadingState>
  if (connectors.length === 0) return <NothingYet title="No connector configurations found" />
  const custom = connectors.filter((connector) => !isDefaultConnector(connector))
  const defaults = connectors.filter(isDefaultConnector)
  return (
    <>
      {defaults.length > 0 && (
        <>
          <Rows label="Default connectors" connectors={defaults} onOpen={onOpen} />
          <hr className="my-4 border-line-strong" />
        </>
      )}
      {custom.length === 0 ? (
        <NothingYet title="No custom connector configurations found" />
      ) : (
        <Rows label="Custom connectors" connectors={custom} onOpen={onOpen} />
      )}
    </>
  )
}

function NothingYet({ title }: { readonly title: string }) {
  return (
    <EmptyState icon={<Plug size={22} aria-hidden />} title={title}>
      A connector is an MCP server that gives tools to your bots. Add one by its address, or choose one from
      the catalogue.
    </EmptyState>
  )
}

interface RowsProps extends ConnectorListProps {
  readonly label: string
  readonly connectors: readonly Connector[]
}

function Rows({ label, connectors, onOpen }: RowsProps) {
  return (
    <EntryList label={label}>
      {connectors.map((connector) => (
        <ConnectorRow
          key={connector.name}
          connector={connector}
          onOpen={(action) => onOpen(action, connector)}
        />
      ))}
    </EntryList>
  )
}

export type ConnectorAction = 'configure' | 'edit' | 'delete'

interface ConnectorRowProps {
  readonly connector: Connector
  readonly onOpen: (action: ConnectorAction) => void
}

/** One connector: its name, address and status, and the buttons for its actions. */
function ConnectorRow({ connector, onOpen }: ConnectorRowProps) {
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
  const isRequested = useStore(connectRequest) === connector.name
  const answerRequest = useEffectEvent(() => {
    connectRequest.set(undefined)
    if (connector.status !== 'connected' && !isToggling) void toggle()
  })
  useEffect(() => {
    if (isRequested) answerRequest()
  }, [isRequested])
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
function isDefaultConnector({ is_default, name }: Connector): boolean {
  return is_default || name === 'default'
}
