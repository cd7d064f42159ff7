import type { SettingsList } from '@yonder/contract/live'
import { useEffect } from 'react'
import { useSWRConfig } from 'swr'
import { botsKey, connectorsKey, integrationsKey } from '../data/keys.ts'
import { refreshChatList } from '../data/chats.ts'
import { useApi } from '../lib/use-api.ts'
import { followLive } from './follow-live.ts'

/** Where each list stands in the cache of reads, whichever features show it. */
const keysOfLists: Readonly<Record<SettingsList, string>> = {
  bots: botsKey,
  connectors: connectorsKey,
  integrations: integrationsKey,
}

/** Shows here what happens in the person's other tabs and devices, for as long as somebody is signed in. */
export function useLiveUpdates(userId: string): void {
  const api = useApi()
  const { mutate } = useSWRConfig()
  useEffect(() => {
    const keys = new Map<string, string>(Object.entries(keysOfLists))
    return followLive(api, {
      userId,
      onChats: refreshChatList,
      onSettings(list) {
        // A list that this page does not know yet is none of its own.
        const changed = list === undefined ? [...keys.values()] : [keys.get(list)]
        for (const key of changed) if (key !== undefined) void mutate(key)
      },
    })
  }, [api, mutate, userId])
}
