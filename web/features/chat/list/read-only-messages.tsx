import type { Message } from '@yonder/contract/message'
import { useEffect, useMemo, useRef } from 'react'
import { preloadMarkdown } from '../../../ui/markdown/markdown.tsx'
import { ToolCallsContext } from '../message/message-context.ts'
import { MessageList } from './message-list.tsx'
import { findDenials, indexResults, visiblePath } from './message-tree.ts'
import { useReadingPlace } from './reading-place.ts'

export interface ReadOnlyMessagesProps {
  readonly messages: readonly Message[]
  readonly leafId: string | null
}

/** The visible path of a chat, without any way to change it. */
export function ReadOnlyMessages({ messages, leafId }: ReadOnlyMessagesProps) {
  useEffect(preloadMarkdown, [])
  const content = useRef<HTMLDivElement>(null)
  useReadingPlace(content)
  const calls = useMemo(
    () => ({ resultOf: indexResults(messages), last: undefined, denials: findDenials(messages) }),
    [messages],
  )
  return (
    <ToolCallsContext value={calls}>
      <div ref={content}>
        <MessageList path={visiblePath(messages, leafId)} />
      </div>
    </ToolCallsContext>
  )
}
