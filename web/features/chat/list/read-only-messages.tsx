import type { Message } from '@yonder/contract/message'
import { textOfContent } from '@yonder/contract/message-text'
import { useEffect, useMemo, useRef } from 'react'
import { IntoHeader } from '../../../ui/header-slot.tsx'
import { preloadMarkdown } from '../../../ui/markdown/markdown.tsx'
import { referenceTitle } from '../chat-title.ts'
import { ChatTools } from '../find/chat-tools.tsx'
import { FindInChat, type FindInChatHandle } from '../find/find-in-chat.tsx'
import { ToolCallsContext } from '../message/message-context.ts'
import { MessageList, type MessageListHandle } from './message-list.tsx'
import { indexDenials, indexResults, visiblePath } from './message-tree.ts'
import { useReadingPlace } from './reading-place.ts'
import { useEndKey } from './use-end-key.ts'

export interface ReadOnlyMessagesProps {
  readonly messages: readonly Message[]
  readonly leafId: string | null
}

/** The visible path of a chat, without any way to change it. */
export function ReadOnlyMessages({ messages, leafId }: ReadOnlyMessagesProps) {
  useEffect(() => void preloadMarkdown(), [])
  const content = useRef<HTMLDivElement>(null)
  useReadingPlace(content)
  const list = useRef<MessageListHandle>(null)
  const find = useRef<FindInChatHandle>(null)
  useEndKey()
  const calls = useMemo(
    () => ({ resultOf: indexResults(messages), last: undefined, denialOf: indexDenials(messages) }),
    [messages],
  )
  const path = useMemo(() => visiblePath(messages, leafId), [messages, leafId])
  const title = path[0] && referenceTitle(textOfContent(path[0].content))
  return (
    <ToolCallsContext value={calls}>
      <IntoHeader>
        <span className="order-last ml-auto">
          <ChatTools onFind={() => find.current?.open()} onPrint={() => list.current?.print()} />
        </span>
      </IntoHeader>
      <div ref={content}>
        <MessageList ref={list} title={title} path={path} />
      </div>
      <FindInChat ref={find} path={path} list={list} content={content} />
    </ToolCallsContext>
  )
}
