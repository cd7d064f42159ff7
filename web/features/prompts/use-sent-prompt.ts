import type { SentPrompt } from '@yonder/contract/sent-prompt'
import { useEffect } from 'react'
import useSWR, { useSWRConfig } from 'swr'
import { ApiError } from '../../lib/api-error.ts'

/** What the model was given for a reply (§27.1). */
export function useSentPrompt(chatId: string, messageId: string) {
  const path = `/api/chats/${chatId}/messages/${messageId}/prompt`
  const { cache } = useSWRConfig()
  // A prompt can have millions of characters, which must not stay in memory.
  useEffect(() => () => cache.delete(path), [cache, path])
  return useSWR<SentPrompt, Error>(path, {
    shouldRetryOnError: (failure: Error) => !(failure instanceof ApiError && failure.status === 404),
    revalidateOnReconnect: false,
  })
}
