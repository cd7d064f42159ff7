import type { SettingsList } from '@yonder/contract/live'
import { useEffect } from 'react'
import { useSWRConfig } from 'swr'
import { botsKey, connectorsKey, grantsKey, integrationsKey, projectKeys } from '../data/named-list.ts'
import { useApi } from '../lib/api/api-provider.tsx'
import { connectStream } from '../lib/streams/event-stream.ts'
import { shareStream } from '../lib/streams/share-stream.ts'

/** The keys of each list, and of the reads of its items, begin with these texts. */
const keysOfLists: Readonly<Record<Exclude<SettingsList, 'names' | 'chats'>, string>> = {
  bots: botsKey,
  connectors: connectorsKey,
  integrations: integrationsKey,
  projects: projectKeys,
  grants: grantsKey,
  notifications: '/api/notifications',
}

/**
 * Follows the user's live stream while the component is mounted, and reads the lists of the settings again when they may
 * have changed in another tab or on another device. Only tabs of the same user share the stream.
 */
export function useLiveUpdates(userId: string): void {
  const api = useApi()
  const { mutate } = useSWRConfig()
  useEffect(() => {
    const { live, connection } = api
    const keys = new Map<string, string>(Object.entries(keysOfLists))
    const readAgain = (beginning: string) =>
      void mutate((key) => typeof key === 'string' && key.startsWith(beginning))
    const unsubscribe = live.subscribe((event) => {
      // There is no list of the names, which chats contain, and a newer server may name another list.
      const changed = event.type === 'changed' ? keys.get(event.what) : undefined
      if (changed !== undefined) readAgain(changed)
      // The first line of a stream that opens without delay comes before any state, and nothing was missed. After a
      // state, it is a late one or that of a later stream.
      if (event.type === 'ready' && live.state.get() !== 'opening')
        for (const key of keys.values()) readAgain(key)
    })
    const leave = shareStream({
      name: `yonder.live:${userId}`,
      connect: (signal) => connectStream(api, '/api/live', signal),
      connection,
      onState(state) {
        if (state === 'lost' || state === 'held') connection.check()
        live.state.set(state)
      },
      onData: (data) => live.emit(JSON.parse(data)),
    })
    return () => {
      leave()
      unsubscribe()
      live.state.set('opening')
    }
  }, [api, mutate, userId])
}
