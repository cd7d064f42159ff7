import type { Connector } from '@yonder/contract/connector'
import { useState } from 'react'
import { useConnectorCatalogue } from '../../../data/connectors.ts'
import { ApiError } from '../../../lib/api/api-error.ts'
import { useRetry } from '../../../lib/use-retry.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { ErrorState } from '../../../ui/states/error-state.tsx'
import type { NewConnector } from '../form/connector-draft.ts'
import { ConnectorFormDialog } from '../form/connector-form-dialog.tsx'
import { BrowseResults } from './browse-results.tsx'

export interface BrowseDialogProps {
  /** The user's connectors. */
  readonly connectors: readonly Connector[]
  readonly onClose: () => void
}

/** The catalogue, from which the user adds connectors. */
export function BrowseDialog({ connectors, onClose }: BrowseDialogProps) {
  const { data, error, mutate } = useConnectorCatalogue()
  const { retrying, retry } = useRetry(mutate)
  /** The chosen connector that needs a token, for which the form is open. */
  const [form, setForm] = useState<NewConnector>()

  return (
    <>
      <Dialog title="Browse Available Connectors" onClose={onClose}>
        {/* The same height in every state, so that nothing jumps while the catalogue loads or a search runs. */}
        <div className="-mb-5 flex h-[min(36rem,70dvh)] flex-col">
          {data === undefined && error !== undefined && !retrying ? (
            <ErrorState title={describeError(error)} retryLabel="Try Again" onRetry={() => void retry()} />
          ) : (
            <BrowseResults servers={data?.servers} connectors={connectors} onOpenForm={setForm} />
          )}
        </div>
      </Dialog>
      {form !== undefined && (
        <ConnectorFormDialog
          prefilled={form}
          // Closes only the form that sent the request: meanwhile the user can have closed it and opened another.
          onClose={() => setForm((current) => (current === form ? undefined : current))}
        />
      )}
    </>
  )
}

/** Returns the server's reason, else the message of the error. */
function describeError(error: Error): string {
  const reason = error instanceof ApiError ? error.reason : undefined
  return (reason ?? error.message) || 'Failed to fetch servers'
}
