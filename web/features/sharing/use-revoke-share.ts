import { useSWRConfig } from 'swr'
import { ApiError } from '../../lib/api-error.ts'
import { logError } from '../../lib/log-error.ts'
import { readReason } from '../../lib/read-reason.ts'
import { useApi } from '../../lib/use-api.ts'
import { toast } from '../../lib/toasts.ts'
import { sharesKey } from './shares-key.ts'

/** Ends a link and tells how it went. Answers whether it is gone now. */
export function useRevokeShare(): (shareId: string) => Promise<boolean> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  return async (shareId) => {
    try {
      const answer = await api.delete<null>(`/api/share/${shareId}`)
      if (answer === undefined) return false
    } catch (error) {
      // Ended before, in another tab: that is what was wanted.
      if (!(error instanceof ApiError) || error.status !== 404) {
        const message = `Failed to revoke link: ${readReason(error)}`
        toast.error(message)
        logError(message, error)
        return false
      }
    }
    void mutate(sharesKey)
    toast.success('Link revoked')
    return true
  }
}
