import type { Bot, BotInput } from '@yonder/contract/bot'
import { useSWRConfig } from 'swr'
import { logError } from '../../lib/log-error.ts'
import { readReason } from '../../lib/read-reason.ts'
import { useApi } from '../../lib/use-api.ts'
import { toast } from '../../lib/toasts.ts'
import { botLabels } from './bot-labels.ts'
import { botsKey } from './bots-key.ts'

/** Creates a bot and tells how it went (§8.15, §8.31). Answers whether it is there now. */
export function useCreateBot(): (input: BotInput) => Promise<boolean> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  return async (input) => {
    try {
      const bot = await api.post<Bot>('/api/bot', input)
      if (bot === undefined) return false
      void mutate<readonly Bot[]>(botsKey, (bots = []) => [
        // It may have been read already while its answer was on the way.
        ...bots.filter(({ name }) => name !== bot.name),
        bot,
      ])
      toast.success(`Bot "${bot.name}" added successfully`)
      return true
    } catch (error) {
      const message = `Failed to save bot: ${readReason(error, botLabels)}`
      toast.error(message)
      logError(message, error)
      return false
    }
  }
}
