import type { Integration } from '@yonder/contract/integration'
import { titleOfIntegration } from '@yonder/contract/integration-names'
import { useDisconnect } from '../../../data/integrations.ts'
import { useIsMounted } from '../../../lib/use-is-mounted.ts'
import { ConfirmDialog } from '../../../ui/dialog/confirm-dialog.tsx'

export interface DisconnectDialogProps {
  readonly integration: Integration
  /** Called after disconnecting, unless the dialog was closed meanwhile. */
  readonly onDisconnected: () => void
  readonly onCancel: () => void
}

/** Asks the user to confirm disconnecting an integration. */
export function DisconnectDialog({ integration, onDisconnected, onCancel }: DisconnectDialogProps) {
  const disconnect = useDisconnect(integration.name)
  const isMounted = useIsMounted()
  const title = titleOfIntegration(integration.name)

  return (
    <ConfirmDialog
      title={`Disconnect ${title}`}
      message={`Are you sure you want to disconnect ${title}? You will need to re-authenticate to use it again.`}
      action="Disconnect"
      onConfirm={async () => (await disconnect.run()).done}
      onDone={() => isMounted() && onDisconnected()}
      onCancel={onCancel}
    />
  )
}
