import { WifiOff } from 'lucide-react'
import { useSyncExternalStore } from 'react'

/** Shows that the browser is offline, on top of the page, so that nothing moves (§10.20). */
export function ConnectionBanner() {
  const online = useSyncExternalStore(subscribe, () => navigator.onLine)
  return (
    <output className="pointer-events-none fixed inset-x-0 top-header z-40 pt-2 flex justify-center px-4">
      {!online && (
        <span className="flex animate-rise items-center gap-2.5 rounded-full bg-surface px-4 py-2 text-sm shadow-float">
          <WifiOff size={16} aria-hidden className="shrink-0 text-warning" />
          You are offline. You can still read the open page.
        </span>
      )}
    </output>
  )
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener)
  window.addEventListener('offline', listener)
  return () => {
    window.removeEventListener('online', listener)
    window.removeEventListener('offline', listener)
  }
}
