import type { Connector } from '@yonder/contract/connector'
import { Plus } from 'lucide-react'
import { useCallback, useEffect, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useSearchParams } from 'react-router'
import { useConnectors, useDeleteConnector } from '../../data/connectors.ts'
import { Button } from '../../ui/button/button.tsx'
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'
import { SettingsHeader } from '../../ui/form/settings-list.tsx'
import { BrowseDialog } from './browse/browse-dialog.tsx'
import { ConfigureToolsDialog } from './configure/configure-tools-dialog.tsx'
import { ConnectorFormDialog } from './form/connector-form-dialog.tsx'
import { useAuthorizationReturn } from './list/authorization-return.ts'
import { ConnectorList, type ConnectorAction } from './list/connector-list.tsx'

/** The dialog that is open over the list. */
type OpenDialog =
  | { readonly kind: 'add' | 'browse' }
  | { readonly kind: ConnectorAction; readonly connector: Connector }

/** The Connectors section of settings. */
export function ConnectorsSection() {
  const title = useId()
  const addButton = useRef<HTMLButtonElement>(null)
  const { data: connectors } = useConnectors()
  const deleteConnector = useDeleteConnector()
  useAuthorizationReturn(connectors)
  const [dialog, setDialog] = useState<OpenDialog | null>(null)
  const configure = useCallback((connector: Connector) => setDialog({ kind: 'configure', connector }), [])
  useRequestedConnector(connectors, configure)
  const close = () => {
    // Closes only the dialog that sent the request: meanwhile the user can have closed it and opened another.
    flushSync(() => setDialog((current) => (current === dialog ? null : current)))
    // The focused row was removed, because its connector was deleted or renamed.
    if (document.activeElement === document.body) addButton.current?.focus()
  }

  return (
    <section aria-labelledby={title}>
      <SettingsHeader id={title} title="Connectors" description="Manage your connector configurations">
        <Button onClick={() => setDialog({ kind: 'browse' })}>Browse Connectors</Button>
        <Button ref={addButton} look="primary" onClick={() => setDialog({ kind: 'add' })}>
          <Plus size={16} aria-hidden />
          Add Connector
        </Button>
      </SettingsHeader>
      <ConnectorList onOpen={(kind, connector) => setDialog({ kind, connector })} />
      {dialog?.kind === 'add' && <ConnectorFormDialog onClose={close} />}
      {dialog?.kind === 'browse' && <BrowseDialog connectors={connectors ?? []} onClose={close} />}
      {dialog?.kind === 'edit' && <ConnectorFormDialog connector={dialog.connector} onClose={close} />}
      {dialog?.kind === 'configure' && (
        <ConfigureToolsDialog connector={findLatest(dialog.connector, connectors)} onClose={close} />
      )}
      {dialog?.kind === 'delete' && (
        <ConfirmDialog
          title="Delete Connector"
          message="Are you sure you want to delete this connector? This action cannot be undone."
          action="Delete"
          onConfirm={async () => (await deleteConnector.run(dialog.connector.name)).done}
          onDone={close}
          onCancel={close}
        />
      )}
    </section>
  )
}

/** Returns the connector from the current list, since a connector can change while its dialog is open. */
function findLatest(connector: Connector, connectors: readonly Connector[] = []): Connector {
  return connectors.find(({ name }) => name === connector.name) ?? connector
}

/**
 * Calls `onRequest` with the connector that `?configure=` names, as soon as the list is loaded, and removes the name
 * from the address. If no connector has this name, `onRequest` is not called.
 */
function useRequestedConnector(
  connectors: readonly Connector[] | undefined,
  onRequest: (connector: Connector) => void,
): void {
  const [params, setParams] = useSearchParams()
  const requested = params.get('configure')
  useEffect(() => {
    if (connectors === undefined || requested === null) return
    const connector = connectors.find(({ name }) => name === requested)
    if (connector !== undefined) onRequest(connector)
    setParams({}, { replace: true })
  }, [connectors, requested, onRequest, setParams])
}
