import type { Chat } from '@yonder/contract/chat'
import type { Compaction } from '@yonder/contract/compaction'
import { useMemo, useState } from 'react'
import { flushSync } from 'react-dom'
import type { ChatSession } from '../session/chat-session.ts'
import { placeSummaries } from './place-summaries.ts'
import type { Summaries } from './summaries-context.ts'

export interface UseSummariesOptions {
  /** The chat as it is shown. */
  readonly chat: Chat
  readonly session: ChatSession
  /** The bot that is selected. */
  readonly botName: string | undefined
  /** Called after a summary was taken back, with which its buttons disappear. */
  readonly onTakenBack: () => void
}

const noCompactions: readonly Compaction[] = []

/** The summaries on the visible path of the user's own chat. The object stays the same while none of them changes. */
export function useSummaries({ chat, session, botName, onTakenBack }: UseSummariesOptions): Summaries {
  const { id: chatId, messages, selected_message_id: leafId, compactions: stored = noCompactions } = chat
  const [edited, edit] = useState<Compaction>()
  const isEditedGone = edited !== undefined && !stored.some(({ id }) => id === edited.id)
  return useMemo(() => {
    // Placed last, the edited summary also stays when another one has taken its place.
    const placed = placeSummaries(messages, leafId, isEditedGone ? [...stored, edited] : stored)
    return {
      chatId,
      after: (messageId) => placed.get(messageId),
      isGone: (id) => isEditedGone && id === edited.id,
      edit,
      botName,
      onChanged: (compaction) => session.changeCompaction(compaction.id, compaction),
      onTakenBack: (id) => {
        // The confirmation must close first, because it keeps the focus inside itself.
        flushSync(() => session.changeCompaction(id, undefined))
        onTakenBack()
      },
      onFailed: session.reload,
    }
  }, [chatId, messages, leafId, stored, edited, isEditedGone, botName, session, onTakenBack])
}
