import { CloudOff, Hourglass, WifiOff } from 'lucide-react'
import { useApi } from '../../lib/api/api-provider.tsx'
import { sentenceOf } from '../../lib/api/failure-sentences.ts'
import { useStore } from '../../lib/store.ts'

/**
 * A row of the header while the browser is offline, the server cannot be reached, or streams are held back. The header grows by `--spacing-banner`, so the row covers nothing.
 */
export function ConnectionBanner() {
  const { connection, live } = useApi()
  const state = useStore(connection)
  const isHeldBack = useStore(live.state) === 'held'
  const isDisconnected = state === 'offline' || state === 'unreachable'
  const Icon = state === 'offline' ? WifiOff : isDisconnected ? CloudOff : Hourglass
  return (
    <output className="block">
      {(isDisconnected || isHeldBack) && (
        <span
          data-connection-banner=""
          className="flex h-banner animate-appear items-center justify-center gap-2.5 border-y border-line bg-surface px-4 text-sm"
        >
          <Icon size={16} aria-hidden className="shrink-0 text-warning" />
          <span>
            {isDisconnected
              ? `${sentenceOf(state)} You can still read the open page.`
              : 'Replies appear late, because a proxy on the way to the server holds them back.'}
          </span>
        </span>
      )}
    </output>
  )
}
