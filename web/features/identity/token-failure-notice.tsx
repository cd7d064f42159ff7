import { useRetry } from '../../lib/use-retry.ts'
import { Button } from '../../ui/button/button.tsx'
import { useIdentity } from './use-identity.ts'

/** Shown when the user is signed in but no access token can be requested, with a button to try again. */
export function TokenFailureNotice() {
  const { state, identity } = useIdentity()
  // After a failure the notice stays visible.
  const { retrying, retry } = useRetry(() => identity.getAccessToken())
  if (state.status !== 'authenticated' || state.failure === null) return null
  return (
    <output className="flex items-center justify-center gap-3 bg-danger-soft px-4 py-2 text-sm text-danger">
      <span>{state.failure}</span>
      <Button size="small" busy={retrying} onClick={() => void retry()}>
        Try again
      </Button>
    </output>
  )
}
