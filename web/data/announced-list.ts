import useSWR from 'swr'
import { useIsAnnounced } from '../lib/api/announced-reads.ts'

/**
 * Reads a list of the settings. After a reconnection, an event of the live stream causes the next read. Where no events
 * can arrive, SWR causes it.
 */
export function useAnnouncedList<Item>(key: string) {
  const isAnnounced = useIsAnnounced(key)
  return useSWR<readonly Item[], Error>(key, { revalidateOnReconnect: !isAnnounced })
}
