import type { BrowseServer, Connector } from '@yonder/contract/connector'
import { useState } from 'react'
import { ApiError } from '../../../lib/api-error.ts'
import { useRetry } from '../../../lib/use-retry.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { ErrorState } from '../../../ui/states/states.tsx'
import { BrowseResults } from './browse-results.tsx'
import { inputOfNew } from '../form/connector-draft.ts'
import type { NewConnector } from '../form/connector-draft.ts'
import { ConnectorFormDialog } from '../form/connector-form-dialog.tsx'
import { nameNewConnector } from '../form/name-new-connector.ts'
import { useBrowseList } from './use-browse-list.ts'
import { useCreateConnector } from '../form/use-create-connector.ts'

export interface BrowseDialogProps {
  /** What the person has already. */
  readonly connectors: readonly Connector[]
  readonly onClose: () => void
}

/** The catalogue of connectors, to add some (§2.65-§2.67). */
export function BrowseDialog({ connectors, onClose }: BrowseDialogProps) {
  const { data, error, mutate } = useBrowseList()
  const { retrying, retry } = useRetry(mutate)
  /** One that wants a token: it is added by the form. */
  const [form, setForm] = useState<NewConnector>()
  const addConnector = useCreateConnector('Failed to add connector')
  const saveConnector = useCreateConnector('Failed to save connector')

  const add = async (server: BrowseServer) => {
    const name = nameNewConnector(
      server,
      connectors.map((connector) => connector.name),
    )
    const known = { name, url: server.server_url }
    if (server.needs_token) setForm(known)
    else await addConnector(inputOfNew(known))
  }

  return (
    <>
      <Dialog title="Browse Available Connectors" onClose={onClose}>
        {/* One height for every state, so that nothing jumps while it loads or a search runs. The list ends at the edge. */}
        <div className="-mb-5 flex h-[min(36rem,70dvh)] flex-col">
          {data === undefined && error !== undefined && !retrying ? (
            <ErrorState title={describe(error)} retry={{ label: 'Try Again', onRetry: () => void retry() }} />
          ) : (
            <BrowseResults servers={data?.servers} connectors={connectors} onAdd={add} />
          )}
        </div>
      </Dialog>
      {form !== undefined && (
        <ConnectorFormDialog
          known={form}
          onSave={saveConnector}
          // A save may end after its form was left and another one opened.
          onClose={() => setForm((current) => (current === form ? undefined : current))}
        />
      )}
    </>
  )
}

/** §8.23. */
function describe(error: Error): string {
  const reason = error instanceof ApiError ? error.reason : undefined
  return (reason ?? error.message) || 'Failed to fetch servers'
}
