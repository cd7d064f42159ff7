import { useApi } from '../lib/api/api-provider.tsx'
import { useStore } from '../lib/store.ts'
import { readsAfterReconnection } from '../lib/streams/live-feed.ts'

/** The options for the read of a list that `useLiveUpdates` reads again. */
export function useLiveListOptions() {
  return { revalidateOnReconnect: !readsAfterReconnection(useStore(useApi().live.state)) }
}

interface Named {
  readonly name: string
}

/**
 * Adds `item` at the end of a cached list. The list may already contain it if it was loaded again during the request.
 */
export function addToList<Item extends Named>(list: readonly Item[] = [], item: Item): readonly Item[] {
  return [...list.filter(({ name }) => name !== item.name), item]
}

/** Replaces the item that was named `name` until now in a cached list. */
export function replaceInList<Item extends Named>(
  list: readonly Item[] = [],
  name: string,
  item: Item,
): readonly Item[] {
  return list.map((other) => (other.name === name ? item : other))
}

export function removeFromList<Item extends Named>(
  list: readonly Item[] = [],
  name: string,
): readonly Item[] {
  return list.filter((item) => item.name !== name)
}
