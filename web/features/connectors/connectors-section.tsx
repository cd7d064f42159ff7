import type { Connector } from '@yonder/contract/connector'
import { Plus } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../ui/button/button.tsx'
import { BrowseDialog } from './browse/browse-dialog.tsx'
import { ConfigureToolsDialog } from './configure/configure-tools-dialog.tsx'
import { ConnectorFormDialog } from './form/connector-form-dialog.tsx'
import { ConnectorList } from './list/connector-list.tsx'
import { DeleteConnectorDialog } from './list/delete-connector-dialog.tsx'
import { useAuthorizationReturn } from './list/use-authorization-return.ts'
import { useConnectorList } from './use-connector-list.ts'
import { useCreateConnector } from './form/use-create-connector.ts'
import { useDeleteConnector } from './list/use-delete-connector.ts'
import { useUpdateConnector } from './form/use-update-connector.ts'

/** What is open over the list (§4.30). */
type OpenDialog =
  | { readonly kind: 'add' | 'browse' }
  | { readonly kind: 'edit' | 'configure' | 'delete'; readonly connector: Connector }

/** The Connectors section of settings (§2.55-§2.74). */
export function ConnectorsSection() {
  const title = useId()
  const addButton = useRef<HTMLButtonElement>(null)
  const { data: connectors } = useConnectorList()
  useAuthorizationReturn(connectors)
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const createConnector = useCreateConnector('Failed to save connector')
  const updateConnector = useUpdateConnector()
  const deleteConnector = useDeleteConnector()
  const close = () => {
    // A save may end after its dialog was left and another one opened.
    flushSync(() => setDialog((current) => (current === dialog ? null : current)))
    // The row that had the focus went: deleted, or under another name.
    if (document.activeElement === document.body) addButton.current?.focus()
  }

  return (
    <section aria-labelledby={title}>
      <header className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
        <div>
          <h2 id={title} className="text-lg font-semibold">
            Connectors
          </h2>
          <p className="text-sm text-muted">Manage your connector configurations</p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setDialog({ kind: 'browse' })}>Browse Connectors</Button>
          <Button ref={addButton} look="primary" onClick={() => setDialog({ kind: 'add' })}>
            <Plus size={16} aria-hidden />
            Add Connector
          </Button>
        </div>
      </header>
      <ConnectorList
        onConfigure={(connector) => setDialog({ kind: 'configure', connector })}
        onEdit={(connector) => setDialog({ kind: 'edit', connector })}
        onDelete={(connector) => setDialog({ kind: 'delete', connector })}
      />
      {dialog?.kind === 'add' && <ConnectorFormDialog onSave={createConnector} onClose={close} />}
      {dialog?.kind === 'browse' && <BrowseDialog connectors={connectors ?? []} onClose={close} />}
      {dialog?.kind === 'edit' && (
        <ConnectorFormDialog
          connector={dialog.connector}
          onSave={(input) => updateConnector(dialog.connector.name, input)}
          onClose={close}
        />
      )}
      {dialog?.kind === 'configure' && (
        <ConfigureToolsDialog connector={asItIsNow(dialog.connector, connectors)} onClose={close} />
      )}
      {dialog?.kind === 'delete' && (
        <DeleteConnectorDialog
          onDelete={() => deleteConnector(dialog.connector.name)}
          onDeleted={close}
          onCancel={close}
        />
      )}
    </section>
  )
}

/** A dialog stays open while its connector changes under it. */
function asItIsNow(connector: Connector, connectors: readonly Connector[] = []): Connector {
  return connectors.find(({ name }) => name === connector.name) ?? connector
}
