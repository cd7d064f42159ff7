import type { Bot } from '@yonder/contract/bot'
import { useSyncExternalStore } from 'react'
import { useBots } from '../../../data/bots.ts'
import { browserStorage } from '../../../lib/browser-storage.ts'
import { storageKeys } from '../chat-storage.ts'

export interface BotChoice {
  /** Undefined until the list is loaded. */
  readonly bots: readonly Bot[] | undefined
  readonly error: Error | undefined
  /** Undefined until the list is loaded, and while it is empty. */
  readonly selected: Bot | undefined
  readonly select: (name: string) => void
}

/**
 * The bot that replies: the stored choice, or the first bot of the list. A choice is stored under `storageKey`.
 */
export function useBotChoice(storageKey: string): BotChoice {
  const { data: bots, error } = useBots()
  const storedName = useSyncExternalStore(subscribe, () => browserStorage.read(storageKey))
  return {
    bots,
    error,
    selected: bots?.find((bot) => bot.name === storedName) ?? bots?.[0],
    select: (name) => storeChoice(storageKey, name),
  }
}

const choiceKeys = /^(chat_.+_selectedBot|newChat_.+_bot)$/

/** Renames a bot in the stored choices, so that it stays selected in all chats of this browser. */
export function renameBotChoices(name: string, next: string): void {
  for (const key of browserStorage.keys()) {
    const isChoice = key === storageKeys.homeBot || choiceKeys.test(key)
    if (isChoice && browserStorage.read(key) === name) storeChoice(key, next)
  }
}

/** How often the stored choice is read, because another tab may change it. */
const pollIntervalMs = 100

const listeners = new Set<() => void>()

function storeChoice(key: string, name: string): void {
  browserStorage.write(key, name)
  for (const listener of listeners) listener()
}

function subscribe(onChange: () => void): () => void {
  const timer = setInterval(onChange, pollIntervalMs)
  listeners.add(onChange)
  return () => {
    clearInterval(timer)
    listeners.delete(onChange)
  }
}
