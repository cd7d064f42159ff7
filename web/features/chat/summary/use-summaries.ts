import type { Chat } from '@yonder/contract/chat'
import type { Compaction } from '@yonder/contract/compaction'
import { useCallback, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { summaryDraft } from '../chat-storage.ts'
import type { ChatSession } from '../session/chat-session.ts'
import { placeSummaries } from './place-summaries.ts'
import type { Summaries } from './summaries-context.ts'

export interface UseSummariesOptions {
  /** The chat as it is shown. */
  readonly chat: Chat
  readonly session: ChatSession
  /** The name of the selected bot. */
  readonly botName: string | undefined
  /** Called after a summary was removed. Its buttons, one of which had the focus, are gone then. */
  readonly onRemoved: () => void
}

const noCompactions: readonly Compaction[] = []

/** The summaries on the visible path of the user's own chat. The object stays the same while nothing in it changes. */
export function useSummaries({ chat, session, botName, onRemoved }: UseSummariesOptions): Summaries {
  const { id: chatId, messages, selected_message_id: leafId, compactions: stored = noCompactions } = chat
  const { editing, edit, storeText, readText } = useEditing(chatId)
  const isGone = editing !== undefined && !stored.some(({ id }) => id === editing.id)
  return useMemo(() => {
    // A removed summary that is being edited is listed last, so that it hides a new one after the same message.
    const placed = placeSummaries(messages, leafId, isGone ? [...stored, editing] : stored)
    return {
      chatId,
      after: (messageId) => placed.get(messageId),
      editing,
      isGone,
      edit,
      storeText,
      readText,
      botName,
      onChanged: (compaction) => session.changeCompaction(compaction.id, compaction),
      onRemoved: (id) => {
        // The confirmation must close first, because it keeps the focus inside itself.
        flushSync(() => session.changeCompaction(id, undefined))
        onRemoved()
      },
      onFailed: session.reload,
    }
  }, [
    chatId,
    messages,
    leafId,
    stored,
    editing,
    isGone,
    edit,
    storeText,
    readText,
    botName,
    session,
    onRemoved,
  ])
}

function useEditing(chatId: string): Pick<Summaries, 'editing' | 'edit' | 'storeText' | 'readText'> {
  const [restored] = useState(() => summaryDraft.read(chatId))
  const [editing, setEditing] = useState(restored?.compaction)
  const edited = useRef(restored?.text)
  const edit = useCallback(
    (compaction: Compaction | undefined) => {
      edited.current = undefined
      summaryDraft.clear(chatId)
      setEditing(compaction)
    },
    [chatId],
  )
  const storeText = useCallback(
    (text: string) => {
      if (editing === undefined) return
      edited.current = text
      if (text === editing.content) summaryDraft.clear(chatId)
      else summaryDraft.write(chatId, { compaction: editing, text })
    },
    [chatId, editing],
  )
  const readText = useCallback(() => edited.current, [])
  return { editing, edit, storeText, readText }
}
