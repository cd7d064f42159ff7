import type { Bot } from '@yonder/contract/bot'
import useSWR from 'swr'
import { botsKey } from './bots-key.ts'

/** The person's bots, for the list in settings (§7.2, §7.28). */
export function useBotList() {
  return useSWR<readonly Bot[], Error>(botsKey)
}
