import type { Bot, BotInput } from '@yonder/contract/bot'
import { useSWRConfig } from 'swr'
import { logError } from '../../lib/log-error.ts'
import { readReason } from '../../lib/read-reason.ts'
import { useApi } from '../../lib/use-api.ts'
import { toast } from '../../lib/toasts.ts'
import { botLabels } from './bot-labels.ts'
import { botsKey } from './bots-key.ts'

/**
 * Changes the bot of this name and tells how it went (§8.15, §8.31). Answers whether it is changed now. `onRename` is
 * called before any list shows the new name.
 */
export function useUpdateBot(
  onRename?: (name: string, next: string) => void,
): (name: string, input: BotInput) => Promise<boolean> {
  const api = useApi()
  const { mutate } = useSWRConfig()
  return async (name, input) => {
    try {
      const changed = await api.put<Bot>(`/api/bot/${encodeURIComponent(name)}`, input)
      if (changed === undefined) return false
      if (changed.name !== name) onRename?.(name, changed.name)
      void mutate<readonly Bot[]>(botsKey, (bots = []) =>
        bots.map((bot) => (bot.name === name ? changed : bot)),
      )
      toast.success(`Bot "${changed.name}" updated successfully`)
      return true
    } catch (error) {
      const message = `Failed to save bot: ${readReason(error, botLabels)}`
      toast.error(message)
      logError(message, error)
      return false
    }
  }
}
