import useSWR from 'swr'
import { useIsAnnounced } from '../lib/api/announced-reads.ts'

/**
 * A list of the settings. After a reconnection the live stream repeats its read, or SWR where no events can arrive
 * (§7.28, §10.29).
 */
export function useAnnouncedList<Item>(key: string) {
  const isAnnounced = useIsAnnounced(key)
  return useSWR<readonly Item[], Error>(key, { revalidateOnReconnect: !isAnnounced })
}
