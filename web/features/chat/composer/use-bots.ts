import type { Bot } from '@yonder/contract/bot'
import useSWR from 'swr'

/** The person's bots (§7.2); read once, again on reconnect, never on focus (§7.28). */
export function useBots() {
  return useSWR<readonly Bot[], Error>('/api/bots')
}
