import { useCallback, useSyncExternalStore } from 'react'
import { Link } from 'react-router'
import { useBots } from '../../../data/bots.ts'
import { browserStorage } from '../../../lib/browser-storage.ts'
import { Select } from '../../../ui/form/select.tsx'
import { storageKeys } from '../chat-storage.ts'

/** Selects the bot that replies; each bot is listed as 'name (model)'. */
export function BotSelect({ choice }: { readonly choice: BotChoice }) {
  const { bots, error, selected, select } = choice
  if (bots === undefined)
    return (
      <span role={error === undefined ? undefined : 'alert'} className="px-2 text-sm text-muted">
        {error === undefined ? 'Loading bots...' : 'The bots could not be loaded. Trying again...'}
      </span>
    )
  if (bots.length === 0)
    return (
      <Link to="/settings/bots" className="rounded-control px-2 py-1 text-sm text-accent hover:underline">
        Add a bot to start
      </Link>
    )
  return (
    <span className="inline-flex max-w-64 min-w-0">
      <Select
        look="quiet"
        aria-label="Bot"
        value={selected?.name}
        onChange={(event) => select(event.target.value)}
      >
        {bots.map((bot) => (
          <option key={bot.name} value={bot.name}>
            {`${bot.name} (${bot.model})`}
          </option>
        ))}
      </Select>
    </span>
  )
}

/**
 * The bot that replies: the choice that is stored under `storageKey`, else the bot of the chat's last reply `chatBot`,
 * else `fallback`, which an import has chosen, else the first bot of the list. So another device, which has stored no choice, does not change the bot of a chat. No bot
 * has the stored name after the bot was renamed or deleted.
 */
export function useBotChoice(storageKey: string, chatBot?: string, fallback?: string) {
  const { data: bots, error } = useBots()
  const storedName = useSyncExternalStore(subscribe, () => browserStorage.read(storageKey))
  const find = (name: string | null | undefined) => bots?.find((bot) => bot.name === name)
  const known = find(storedName) ?? find(chatBot) ?? find(fallback)
  const selected = known ?? bots?.[0]
  const select = useCallback((name: string) => browserStorage.write(storageKey, name), [storageKey])
  return {
    /** Undefined until the list is loaded. */
    bots,
    error,
    /** Undefined until the list is loaded, and while it is empty. */
    selected,
    /** The bot of the last reply, if it no longer exists and `selected` takes its place without the user's choice. */
    missing: known === undefined && selected !== undefined ? chatBot : undefined,
    select,
  }
}

export type BotChoice = ReturnType<typeof useBotChoice>

/** The bot that gets a message, and the others that could. */
export type AskedBot = Pick<BotChoice, 'bots' | 'selected' | 'select'>

/** Follows the renaming of a bot on the home page, where no chat says which bot was meant. */
export function renameHomeChoice(name: string, next: string): void {
  if (browserStorage.read(storageKeys.homeBot) === name) browserStorage.write(storageKeys.homeBot, next)
}

/** How often the stored choice is read, because another tab may change it. */
const pollIntervalMs = 100

function subscribe(onChange: () => void): () => void {
  const timer = setInterval(onChange, pollIntervalMs)
  const unsubscribe = browserStorage.subscribe(onChange)
  return () => {
    clearInterval(timer)
    unsubscribe()
  }
}
