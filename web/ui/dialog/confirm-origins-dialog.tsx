import { ConfirmDialog } from './confirm-dialog.tsx'

export interface ConfirmOriginsDialogProps {
  /** The name of the connector. */
  readonly name: string
  readonly origins: readonly string[]
  readonly onAnswer: (isConfirmed: boolean) => void
}

/**
 * Asks the user to confirm the origins of an authorization server before Yonder registers or opens a page there.
 */
export function ConfirmOriginsDialog({ name, origins, onAnswer }: ConfirmOriginsDialogProps) {
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
      onDone={() => onAnswer(true)}
      onCancel={() => onAnswer(false)}
    />
  )
}
