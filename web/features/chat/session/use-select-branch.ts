import type { Chat } from '@yonder/contract/chat'
import { useCallback, useRef } from 'react'
import { useSWRConfig } from 'swr'
import { logError } from '../../../lib/log-error.ts'
import { readReason } from '../../../lib/read-reason.ts'
import { useApi } from '../../../lib/use-api.ts'
import { toast } from '../../../lib/toasts.ts'
import { findChatFeed } from './chat-feed.ts'
import { showBranch } from './show-branch.ts'
import { chatKey } from './use-live-chat.ts'

/**
 * Shows the branch of a message at once, tells the server (§7.13) and reads the chat again (§4.25). Of several choices in
 * a row the server hears the first and the last, one after the other.
 */
export function useSelectBranch(chatId: string): (messageId: string) => void {
  const api = useApi()
  const { mutate } = useSWRConfig()
  const choices = useRef({ count: 0, told: Promise.resolve() })
  return useCallback(
    (messageId) => {
      const key = chatKey(chatId)
      const choice = (choices.current.count += 1)
      const isLast = () => choice === choices.current.count
      const tell = async () => {
        if (!isLast()) return
        try {
          await api.post('/api/chat/select-response', { chatId, messageId })
        } catch (error) {
          logError('Error selecting response', error)
          toast.error(`The chosen version could not be saved: ${readReason(error)}`)
        }
        if (isLast()) await mutate(key)
      }
      void mutate<Chat>(key, (chat) => (chat === undefined ? chat : showBranch(chat, messageId)), {
        revalidate: false,
      })
      // The server tells this page too what it has changed: the first choice must not come up again before the last.
      const release = findChatFeed(api).chats.get(chatId)?.hearing.hold()
      choices.current.told = choices.current.told.then(tell).finally(release)
    },
    [api, chatId, mutate, toast],
  )
}
