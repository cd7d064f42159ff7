import type { ChatList } from '@yonder/contract/chat'
import type { ListedChats } from '@yonder/contract/chat-list'
import type { LiveEvent } from '@yonder/contract/live'
import { useEffect } from 'react'
import useSWR from 'swr'
import useSWRInfinite from 'swr/infinite'
import { useApi } from '../lib/api/api-provider.tsx'
import { logError } from '../lib/log-error.ts'
import { useLiveListOptions } from './named-list.ts'

/** The number of chats on a page; the first page is 1. */
const pageSize = 10

/** Whether the list of chats may differ after an event, or after what a stream that begins was not told. */
function changesChatList(event: LiveEvent): boolean {
  if (event.type === 'run') return event.event.type === 'started' || event.event.type === 'ended'
  if (event.type === 'changed') return event.what === 'chats'
  return event.type === 'chat_changed' || event.type === 'chats_listed' || event.type === 'ready'
}

/** The chats in which every word of `search` occurs, last changed first; all chats when `search` is empty. */
export function useChatSearch(search: string) {
  const api = useApi()
  const { data, error, isValidating, size, setSize, mutate } = useSWRInfinite<ChatList, Error>(
    (index: number, previous: ChatList | null) =>
      previous !== null && previous.chats.length < pageSize
        ? null
        : `/api/chats?${new URLSearchParams({ search, page: String(index + 1), limit: String(pageSize) })}`,
    async (path: string) => {
      const response = await api.read<ChatList>(path)
      if (response !== undefined) return response
      logError('The chats could not be searched: the user is signed out (401)')
      return { chats: [], total: 0, page: 1, limit: pageSize }
    },
    {
      revalidateFirstPage: false,
      revalidateOnMount: true,
      ...useLiveListOptions(),
    },
  )
  useEffect(() => api.live.subscribe((event) => void (changesChatList(event) && mutate())), [api, mutate])
  const pages = data ?? []
  // A chat that moved between the reads of two pages may be in both.
  const chats = [...new Map(pages.flatMap((page) => page.chats).map((chat) => [chat.id, chat])).values()]
  const isLoadingMore = isValidating && size > pages.length && pages.length > 0
  return {
    chats,
    isLoading: data === undefined && error === undefined,
    isLoadingMore,
    error: data === undefined ? error : undefined,
    hasMore: pages.at(-1)?.chats.length === pageSize,
    loadMore: () => {
      if (!isLoadingMore) void setSize(size + 1)
    },
    retry: () => void mutate(),
  }
}

export type ChatSearch = ReturnType<typeof useChatSearch>

const tenChats = 10

/** Whether the user has ten chats that are neither archived nor deleted; undefined until that is known. */
export function useHasTenChats(isWanted: boolean): boolean | undefined {
  const { data } = useSWR<ListedChats, Error>(
    isWanted ? `/api/chat-list?section=all&limit=${tenChats}` : null,
  )
  return data && data.chats.length >= tenChats
}
