import { CloudOff, WifiOff } from 'lucide-react'
import { sentenceOf } from '../../lib/failure-sentences.ts'
import { useApi } from '../../lib/api-provider.tsx'
import { useStore } from '../../lib/store.ts'

/**
 * A row of the header while the browser is offline or the server cannot be reached (§10.20, §10.30). The header grows by
 * `--spacing-banner`, so the row covers nothing.
 */
export function ConnectionBanner() {
  const state = useStore(useApi().connection)
  const Icon = state === 'offline' ? WifiOff : CloudOff
  return (
    <output className="block">
      {(state === 'offline' || state === 'unreachable') && (
        <span
          data-connection-banner=""
          className="flex h-banner animate-appear items-center justify-center gap-2.5 border-y border-line bg-surface px-4 text-sm"
        >
          <Icon size={16} aria-hidden className="shrink-0 text-warning" />
          <span>{sentenceOf(state)} You can still read the open page.</span>
        </span>
      )}
    </output>
  )
}
