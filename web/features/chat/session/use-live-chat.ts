import type { Chat } from '@yonder/contract/chat'
import { useSyncExternalStore } from 'react'
import { useSWRConfig } from 'swr'
import { useApi } from '../../../lib/use-api.ts'
import { findChatFeed } from './chat-feed.ts'
import { LiveChat } from './live-chat.ts'
import type { ChatCache } from './live-chat.ts'

/** The cache key of a chat, and the address it is read from. */
export const chatKey = (chatId: string): string => `/api/chats/${encodeURIComponent(chatId)}`

/** The one live chat behind an id, whichever component asks. */
export function useLiveChat(chatId: string): LiveChat {
  const api = useApi()
  const { mutate, cache: reads } = useSWRConfig()
  const { chats, isFed } = findChatFeed(api)
  const known = chats.get(chatId)
  if (known !== undefined) return known
  const cache: ChatCache = {
    read: () => reads.get(chatKey(chatId))?.data as Chat | undefined,
    change: (change) => {
      void mutate<Chat>(chatKey(chatId), (chat) => (chat === undefined ? chat : change(chat)), {
        revalidate: false,
      })
    },
    refresh: () => void mutate(chatKey(chatId)),
  }
  const live = new LiveChat(chatId, api, cache, isFed)
  chats.set(chatId, live)
  return live
}

export function useLiveShape(live: LiveChat) {
  return useSyncExternalStore(live.subscribe, live.getShape)
}
