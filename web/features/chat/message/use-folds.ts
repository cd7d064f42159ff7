import type { Message } from '@yonder/contract/message'
import { use, useCallback, useState } from 'react'
import { foldCalls, type CallFold } from './fold-calls.ts'
import { MessageActionsContext, ToolCallsContext } from './message-context.ts'

/** The folded tool calls of a turn. */
export function useFolds(replies: readonly Message[]) {
  const { resultOf, last } = use(ToolCallsContext)
  const siblingsOf = use(MessageActionsContext)?.siblingsOf
  const [openFolds, setOpenFolds] = useState<ReadonlySet<string>>(new Set())
  const [openCalls, setOpenCalls] = useState<ReadonlySet<string>>(new Set())
  const onToggleCall = useCallback(
    (replyId: string, open: boolean) => setOpenCalls((before) => withMember(before, replyId, open)),
    [],
  )
  const isKept = (reply: Message) => {
    if (openCalls.has(reply.id)) return true
    const result = resultOf(reply.id)
    // 'Continue' is shown below the last result, and the arrows between versions below their reply.
    if (result !== undefined && result.id === last?.id) return true
    return (siblingsOf?.(reply).ids.length ?? 1) > 1
  }
  const folds = foldCalls(replies, resultOf, isKept)
  return {
    /** Returns the fold whose line is above the call of a reply; undefined if there is none. */
    foldAt: (replyId: string) => folds.find(({ firstId }) => firstId === replyId),
    isOpen: ({ firstId }: CallFold) => openFolds.has(firstId),
    toggle: ({ firstId }: CallFold) =>
      setOpenFolds((before) => withMember(before, firstId, !before.has(firstId))),
    /** Whether the call of a reply is folded and its line is closed. */
    isHidden: (replyId: string) =>
      folds.some(({ firstId, foldedIds }) => foldedIds.has(replyId) && !openFolds.has(firstId)),
    /** Called when the user opens or closes a call. An open call is not folded. */
    onToggleCall,
  }
}

export type Folds = ReturnType<typeof useFolds>

function withMember(set: ReadonlySet<string>, member: string, isMember: boolean): ReadonlySet<string> {
  const changed = new Set(set)
  if (isMember) changed.add(member)
  else changed.delete(member)
  return changed
}
