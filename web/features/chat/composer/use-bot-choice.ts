import type { Bot } from '@yonder/contract/bot'
import { useBots } from './use-bots.ts'
import { useStoredText, writeStoredText } from './use-stored-text.ts'

export interface BotChoice {
  /** Undefined while the list loads. */
  readonly bots: readonly Bot[] | undefined
  readonly error: Error | undefined
  /** Undefined until there is a list with a bot in it (§4.3). */
  readonly selected: Bot | undefined
  readonly select: (name: string) => void
}

/** The bot that answers (§4.2): the saved one, else the first of the list; a choice is saved under `storageKey`. */
export function useBotChoice(storageKey: string): BotChoice {
  const { data: bots, error } = useBots()
  const saved = useStoredText(storageKey)
  return {
    bots,
    error,
    selected: bots?.find((bot) => bot.name === saved) ?? bots?.[0],
    select: (name) => writeStoredText(storageKey, name),
  }
}
