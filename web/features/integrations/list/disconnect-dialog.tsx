import type { Integration } from '@yonder/contract/integration'
import { titleOfIntegration } from '@yonder/contract/integration-names'
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx'
import { useIsOpen } from '../../../lib/use-is-open.ts'
import { useDisconnect } from './use-disconnect.ts'

export interface DisconnectDialogProps {
  readonly integration: Integration
  /** Called while the question still stands. */
  readonly onDisconnected: () => void
  readonly onCancel: () => void
}

/** Asks before a connection is ended (§2.82). */
export function DisconnectDialog({ integration, onDisconnected, onCancel }: DisconnectDialogProps) {
  const disconnect = useDisconnect()
  const isOpen = useIsOpen()
  const title = titleOfIntegration(integration.name)

  return (
    <ConfirmDialog
      title={`Disconnect ${title}`}
      message={`Are you sure you want to disconnect ${title}? You will need to re-authenticate to use it again.`}
      action="Disconnect"
      onConfirm={async () => disconnect(integration.name)}
      onDone={() => isOpen() && onDisconnected()}
      onCancel={onCancel}
    />
  )
}
