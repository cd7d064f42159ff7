import type { ShareAnswer } from '@yonder/contract/share'
import { useSWRConfig } from 'swr'
import { logError } from '../../lib/log-error.ts'
import { useApi } from '../../lib/use-api.ts'
import { shareAddress } from './share-address.ts'
import { sharesKey } from './shares-key.ts'

/** Makes the link to a message, or finds the one it has (§7.10). A failure is only logged (§8.14) and answers nothing. */
export function useCreateShare(): (chatId: string, messageId: string) => Promise<string | undefined> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  return async (chatId, messageId) => {
    try {
      const answer = await api.post<ShareAnswer>(`/api/share/${chatId}`, { messageId })
      if (answer === undefined) return undefined
      void mutate(sharesKey)
      return shareAddress(answer.shareId)
    } catch (error) {
      logError('Failed to generate share link', error)
      return undefined
    }
  }
}
