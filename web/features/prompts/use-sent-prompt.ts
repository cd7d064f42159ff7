import type { SentPrompt } from '@yonder/contract/sent-prompt'
import { useEffect } from 'react'
import useSWR, { useSWRConfig } from 'swr'
import { optionalReadOptions } from '../../lib/api/api-provider.tsx'

// The prompt of a finished reply never changes.
const sentPromptOptions = { ...optionalReadOptions, revalidateOnReconnect: false }

/** What the model was given for a reply. */
export function useSentPrompt(chatId: string, messageId: string) {
  const path = `/api/chats/${encodeURIComponent(chatId)}/messages/${encodeURIComponent(messageId)}/prompt`
  const { cache } = useSWRConfig()
  // A prompt can have millions of characters, which must not stay in memory.
  useEffect(() => () => cache.delete(path), [cache, path])
  return useSWR<SentPrompt, Error>(path, sentPromptOptions)
}
