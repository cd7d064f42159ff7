import { textOfContent } from '@yonder/contract/message-text'
import { useSyncExternalStore } from 'react'
import { referenceTitle } from './contents/reference-title.ts'
import { useChat } from './session/use-chat.ts'
import { useLiveChat } from './session/use-live-chat.ts'

/** What a chat is called: its first message, cut to one short line. Undefined until it has been read and has one. */
export function useChatTitle(chatId: string): string | undefined {
  const live = useLiveChat(chatId)
  const { data: chat } = useChat(chatId, live)
  // A live chat that has a listener counts as shown, which it is once it has been read.
  const subscribe = chat === undefined ? subscribeToNothing : live.subscribe
  // A new chat has its first message only there until the reply has ended.
  const { messages } = useSyncExternalStore(subscribe, live.getShape)
  const first = chat?.messages[0] ?? messages[0]
  return first && (referenceTitle(textOfContent(first.content)) || undefined)
}

const subscribeToNothing = () => () => undefined
