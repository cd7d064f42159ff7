import type { Bot } from '@yonder/contract/bot'
import { useSWRConfig } from 'swr'
import { logError } from '../../lib/log-error.ts'
import { readReason } from '../../lib/read-reason.ts'
import { useApi } from '../../lib/use-api.ts'
import { toast } from '../../lib/toasts.ts'
import { botsKey } from './bots-key.ts'

/** Deletes the bot of this name and tells how it went (§8.16, §8.31). Answers whether it is gone now. */
export function useDeleteBot(): (name: string) => Promise<boolean> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  return async (name) => {
    try {
      const answer = await api.delete<null>(`/api/bot/${encodeURIComponent(name)}`)
      if (answer === undefined) return false
      void mutate<readonly Bot[]>(botsKey, (bots = []) => bots.filter((bot) => bot.name !== name))
      toast.success('Bot deleted successfully')
      return true
    } catch (error) {
      const message = `Failed to delete bot: ${readReason(error)}`
      toast.error(message)
      logError(message, error)
      return false
    }
  }
}
