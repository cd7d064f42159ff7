import type { Chat } from '@yonder/contract/chat'
import { useSyncExternalStore } from 'react'
import { useSWRConfig } from 'swr'
import type { ApiClient } from '../../lib/api-client.ts'
import { useApi } from '../../lib/use-api.ts'
import { LiveChat } from './live-chat.ts'
import type { ChatCache } from './live-chat.ts'

/** The live chats of a signed-in person: they go when the client of the sign-in goes. */
const liveChats = new WeakMap<ApiClient, Map<string, LiveChat>>()

/** The cache key of a chat, and the address it is read from. */
export const chatKey = (chatId: string): string => `/api/chats/${encodeURIComponent(chatId)}`

/** The one live chat behind an id, whichever component asks. */
export function useLiveChat(chatId: string): LiveChat {
  const api = useApi()
  const { mutate } = useSWRConfig()
  const chats = liveChats.get(api) ?? new Map<string, LiveChat>()
  liveChats.set(api, chats)
  const known = chats.get(chatId)
  if (known !== undefined) return known
  const cache: ChatCache = {
    change: (change) => {
      void mutate<Chat>(chatKey(chatId), (chat) => (chat === undefined ? chat : change(chat)), {
        revalidate: false,
      })
    },
    refresh: () => void mutate(chatKey(chatId)),
  }
  const live = new LiveChat(chatId, api, cache)
  chats.set(chatId, live)
  return live
}

export function useLiveShape(live: LiveChat) {
  return useSyncExternalStore(live.subscribe, live.getShape)
}
