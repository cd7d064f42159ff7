import { useState } from 'react'
import { Button } from '../../ui/button/button.tsx'
import { useIdentity } from './use-identity.ts'

/** Says that no access token can be had though the person is signed in (§8.6), and tries again when asked. */
export function TokenFailureNotice() {
  const { state, identity } = useIdentity()
  const [busy, setBusy] = useState(false)
  if (state.status !== 'authenticated' || state.failure === null) return null
  const retry = async (): Promise<void> => {
    setBusy(true)
    // A failure shows itself: the notice stays.
    await identity.getAccessToken().catch(() => undefined)
    setBusy(false)
  }
  return (
    <output className="flex items-center justify-center gap-3 bg-danger-soft px-4 py-2 text-sm text-danger">
      <span>{state.failure}</span>
      <Button size="small" busy={busy} onClick={() => void retry()}>
        Try again
      </Button>
    </output>
  )
}
