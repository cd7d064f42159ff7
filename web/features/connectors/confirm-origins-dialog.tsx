import { useEffect } from 'react'
import { declineOrigins, useOriginConfirmation } from '../../data/connector-toggle.ts'
import { ConfirmDialog } from '../../ui/dialog/confirm-dialog.tsx'

/**
 * Asks the user to confirm the origins of an authorization server before Yonder registers or opens a page there.
 */
export function ConfirmOriginsDialog() {
  const confirmation = useOriginConfirmation()
  // When the user signs out, open questions are declined, so that the next user does not see them.
  useEffect(() => declineOrigins, [])
  if (confirmation === undefined) return null
  const { name, origins, resolve } = confirmation
  return (
    <ConfirmDialog
      title="Sign in at another address?"
      message={
        <>
          <bdi className="wrap-anywhere">"{name}"</bdi> wants you to sign in at{' '}
          {origins.length === 1 ? 'an address that is' : 'addresses that are'} not its own:
          {origins.map((origin) => (
            <code key={origin} className="my-2 block font-mono font-medium wrap-anywhere text-ink">
              {origin}
            </code>
          ))}
          Continue only if you know and trust {origins.length === 1 ? 'this address' : 'these addresses'}.
        </>
      }
      action="Continue"
      look="primary"
      onConfirm={() => Promise.resolve(true)}
      onDone={() => resolve(true)}
      onCancel={() => resolve(false)}
    />
  )
}
