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
 * Replaces the item that was named `name` until now in a cached list. An item without an earlier name is added at the
 * end. The list may already contain it if it was loaded again during the request.
 */
export function storeInList<Item extends Named>(
  list: readonly Item[] = [],
  name: string | undefined,
  item: Item,
): readonly Item[] {
  if (name === undefined) return [...removeFromList(list, item.name), item]
  return list.map((other) => (other.name === name ? item : other))
}

export function removeFromList<Item extends Named>(
  list: readonly Item[] = [],
  name: string,
): readonly Item[] {
  return list.filter((item) => item.name !== name)
}

/** The cache keys of data that several features load. Each key is the path of the request. */
export const botsKey = '/api/bots'
export const connectorsKey = '/api/mcp-servers'
export const integrationsKey = '/api/integrations'
/** The beginning of the keys of the list of projects and of each project. */
export const projectKeys = '/api/project'
/** The beginning of the key of the list of grants. */
export const grantsKey = '/api/grants'
export const inboxKey = '/api/inbox'
export const sharesKey = '/api/shares'
