import type { Connector } from '@yonder/contract/connector'
import { Plug } from 'lucide-react'
import { useConnectors } from '../../../data/connectors.ts'
import { readReason } from '../../../lib/api/api-error.ts'
import { EntryList } from '../../../ui/entry-list.tsx'
import { ErrorState } from '../../../ui/states/error-state.tsx'
import { EmptyState, LoadingState } from '../../../ui/states/states.tsx'
import { ConnectorRow, isDefaultConnector, type ConnectorAction } from './connector-row.tsx'

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
