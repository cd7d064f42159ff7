import type { Message } from '@yonder/contract/message'
import { useEffect } from 'react'
import { preloadMarkdown } from '../../ui/markdown/markdown.tsx'
import { MessageList } from './message-list.tsx'
import { visiblePath } from './visible-path.ts'

export interface ReadOnlyMessagesProps {
  readonly messages: readonly Message[]
  readonly leafId: string | null
}

/** The visible path of a chat that nobody writes to. */
export function ReadOnlyMessages({ messages, leafId }: ReadOnlyMessagesProps) {
  useEffect(preloadMarkdown, [])
  return <MessageList path={visiblePath(messages, leafId)} />
}
