import { useOriginConfirmation } from '../../data/connector-toggle.ts'
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'

/** Shows the address of a connector's authorization server, before Yonder registers or opens a page there (§18.39). */
export function ConfirmOriginsDialog() {
  const confirmation = useOriginConfirmation()
  if (confirmation === undefined) return null
  const { name, origins, resolve } = confirmation
  return (
    <ConfirmDialog
      title="Sign in at another address?"
      message={`"${name}" signs you in at ${origins.join(' and ')}, which is not the address of the connector. Continue only if you know and trust this address.`}
      action="Continue"
      onConfirm={() => Promise.resolve(true)}
      onDone={() => resolve(true)}
      onCancel={() => resolve(false)}
    />
  )
}
