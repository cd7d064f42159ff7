import type { Chat } from '@yonder/contract/chat'
import useSWR from 'swr'
import type { LiveChat } from './live-chat.ts'
import { chatKey } from './use-live-chat.ts'

/** A chat as the server keeps it (§7.7). Reading it is also what joins its run and sends its hand-over. */
export function useChat(chatId: string, live: LiveChat) {
  return useSWR<Chat | undefined, Error>(chatKey(chatId), live.load)
}
