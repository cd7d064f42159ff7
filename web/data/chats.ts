import type { ChatList, ChatSummary } from '@yonder/contract/chat'
import type { ListedChats } from '@yonder/contract/chat-list'
import type { LiveEvent } from '@yonder/contract/live'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import useSWR from 'swr'
import useSWRInfinite from 'swr/infinite'
import { useApi } from '../lib/api/api-provider.tsx'
import { logError } from '../lib/log-error.ts'
import { useChatList, type ListRow } from './chat-list.ts'
import { useLiveListOptions } from './named-list.ts'

/** The number of chats on a page; the first page is 1. */
const pageSize = 10

/** Whether a list must be read again, because many chats have changed or the stream has not told what did. */
const isUntold = (event: LiveEvent): boolean =>
  event.type === 'ready' || (event.type === 'changed' && event.what === 'chats')

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
  useEffect(() => api.live.subscribe((event) => void (isUntold(event) && mutate())), [api, mutate])
  const pages = data ?? []
  const isLoadingMore = isValidating && size > pages.length && pages.length > 0
  const store = useChatList()
  const rows = useSyncExternalStore(store.subscribe, store.rows)
  const chats = useMemo(() => mergeRows(data ?? [], rows, store.isGone, search), [data, rows, store, search])
  const count = pages.reduce((sum, page) => sum + page.chats.length, 0)
  return {
    chats,
    isLoading: data === undefined && error === undefined,
    isLoadingMore,
    error: data === undefined ? error : undefined,
    hasMore: pages.at(-1)?.chats.length === pageSize,
    loadMore: () => {
      if (isLoadingMore) return
      void setSize(size + 1)
      // The pages are numbered: without the chats that have left, the next one begins later than these end.
      if (chats.length < count) void mutate()
    },
    retry: () => void mutate(),
  }
}

/**
 * Returns the chats of pages that were read, as the live stream has changed them since, last changed first. Without a
 * search it adds the chats that are new.
 */
function mergeRows(
  pages: readonly ChatList[],
  rows: ReadonlyMap<string, ListRow>,
  isGone: (id: string) => boolean,
  search: string,
): readonly ChatSummary[] {
  // A chat that moved between the reads of two pages may be in both.
  const chats = new Map<string, ChatSummary>(
    pages.flatMap((page) => page.chats).map((chat) => [chat.id, chat]),
  )
  const isComplete = (pages.at(-1)?.chats.length ?? pageSize) < pageSize
  const oldest = isComplete ? '' : pages.at(-1)?.chats.at(-1)?.update_time
  for (const { messages, ...row } of rows.values()) {
    const chat = chats.get(row.id)
    const isOlder = chat !== undefined && row.update_time < chat.update_time
    const summary = { messages: messages ?? chat?.messages, passage: chat?.passage }
    const isListed =
      chat !== undefined || (search === '' && oldest !== undefined && row.update_time >= oldest)
    if (isListed && !isOlder && summary.messages !== undefined)
      chats.set(row.id, { ...row, ...summary } as ChatSummary)
  }
  return [...chats.values()]
    .filter(({ id, deleted_time }) => deleted_time === undefined && !isGone(id))
    .toSorted(
      (one, other) =>
        Number(one.update_time < other.update_time) - Number(one.update_time > other.update_time),
    )
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
