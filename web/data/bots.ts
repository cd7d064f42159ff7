import type { Bot, BotInput } from '@yonder/contract/bot'
import useSWR from 'swr'
import { readReason, type FieldLabels } from '../lib/api/api-error.ts'
import { useAction } from '../lib/api/use-action.ts'
import { botsKey, removeFromList, storeInList, useLiveListOptions } from './named-list.ts'

const botPath = (name: string): string => `/api/bot/${encodeURIComponent(name)}`

/** The labels of the bot form, for error messages that name a field. */
export const botLabels: FieldLabels = {
  name: 'Name',
  model: 'Model',
  base_url: 'Base URL',
  api_key: 'API key',
  api_type: 'API type',
  custom_api_path: 'Custom API path',
  max_tokens: 'Max tokens',
  instructions: 'Instructions',
  temperature: 'Temperature',
  top_p: 'Top-p',
  reasoning_effort: 'Reasoning effort',
  context_window: 'Context window',
  images: 'Pictures',
  pdf: 'PDF files',
}

/** The user's bots; loaded again on reconnect, but not on focus. */
export function useBots() {
  return useSWR<readonly Bot[], Error>(botsKey, useLiveListOptions())
}

/**
 * Creates a bot, or changes the `stored` one. `onRename` is called before the cached list
 * has the new name.
 */
export function useSaveBot(stored?: Bot, onRename?: (name: string, next: string) => void) {
  return useAction({
    call: (api, input: BotInput) =>
      stored === undefined ? api.post<Bot>('/api/bot', input) : api.put<Bot>(botPath(stored.name), input),
    update: (update, bot) => {
      if (stored !== undefined && bot.name !== stored.name) onRename?.(stored.name, bot.name)
      return update<readonly Bot[]>(botsKey, (bots) => storeInList(bots, stored?.name, bot))
    },
    success: ({ name }) => `Bot "${name}" ${stored === undefined ? 'added' : 'updated'} successfully`,
    failure: (error) => `Failed to save bot: ${readReason(error, botLabels)}`,
  })
}

/** Deletes the bot of this name. */
export function useDeleteBot() {
  return useAction({
    call: (api, name: string) => api.delete<null>(botPath(name)),
    update: (update, _response, name) =>
      update<readonly Bot[]>(botsKey, (bots) => removeFromList(bots, name)),
    success: () => 'Bot deleted successfully',
    failure: (error) => `Failed to delete bot: ${readReason(error)}`,
  })
}
