import { setImmediate as nextTurn } from 'node:timers/promises'
import { callExpiryMs } from '@yonder/contract/lib/call-limits'
import type { CallDecision } from '@yonder/contract/tool-call'
import {
  claimPendingCall,
  listOldPendingCalls,
  oldCallsPageSize,
  type OldPendingCall,
  parseCall,
  withoutDecisions,
} from '../../chats/tool-call-store.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { isExpired } from '../tools/explain-decision.ts'
import { listDenied, recordDenied } from '../tools/record-denied.ts'

export interface ExpiryDeps extends Pick<CompletionDeps, 'database' | 'connectors' | 'now' | 'onError'> {
  /** Notifies the live streams of the user of a change to the chat that is not a run event. */
  readonly onChatChanged: (userId: string, chatId: string) => void
}

/** Denies the calls that nobody has decided within `callExpiryMs`, with the later calls of their steps. */
export async function expireCalls(deps: ExpiryDeps): Promise<void> {
  const now = deps.now()
  let skipped = 0
  for (;;) {
    const old = await listOldPendingCalls(deps.database.db, now - callExpiryMs, skipped)
    for (const row of old) {
      // Each is parsed, and may have a megabyte.
      await nextTurn()
      // A reply may have been written for a long time before it asked.
      if (isExpired(row, now)) await expireCall(deps, row, now)
      else skipped += 1
    }
    if (old.length < oldCallsPageSize) return
  }
}

/** Does nothing when the call was decided meanwhile, or expired by another node. */
async function expireCall(deps: ExpiryDeps, row: OldPendingCall, now: number): Promise<void> {
  const stored = row.call === null ? undefined : parseCall(row.call)
  if (stored === undefined) throw new Error(`reply ${row.id} has no tool call`)
  const decision: CallDecision = { kind: 'expired', at: now }
  const call = { ...stored, decision, rest: withoutDecisions(stored.rest) }
  if (!(await claimPendingCall(deps.database.db, row, { state: 'denied', call }))) return
  await recordDenied(deps, { id: row.user_id }, listDenied(row, decision, stored.rest))
  deps.onChatChanged(row.user_id, row.chat_id)
}
