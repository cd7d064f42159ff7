import type { SharedChat } from '@yonder/contract/share'
import useSWR from 'swr'
import { ApiError } from '../../lib/api-error.ts'
import { readPublicly } from '../../lib/read-publicly.ts'
import { readOptions } from '../../lib/swr-config.tsx'

const options = {
  ...readOptions,
  // It cannot have changed (§7.28).
  revalidateOnReconnect: false,
  onErrorRetry: (...retry: Parameters<typeof readOptions.onErrorRetry>) => {
    const [error] = retry
    // A link that is not there never comes back.
    if (error instanceof ApiError && error.status === 404) return
    readOptions.onErrorRetry(...retry)
  },
}

/** What stands behind a link (§7.9). */
export function useSharedChat(shareId: string) {
  return useSWR<SharedChat, Error>(`/api/share/${encodeURIComponent(shareId)}`, readPublicly, options)
}
