import type { Compaction } from '@yonder/contract/compaction'
import type { Message } from '@yonder/contract/message'

/** A summary as it is shown on the visible path. */
export interface PlacedSummary {
  readonly compaction: Compaction
  /** Whether requests along this path contain a later summary instead. */
  readonly isReplaced: boolean
}

/**
 * Returns the summaries that apply to the path to a leaf, by the id of the last shown message before each.
 * Tool results are in the path, but are not shown themselves.
 */
export function placeSummaries(
  messages: readonly Message[],
  leafId: string | null,
  compactions: readonly Compaction[],
): ReadonlyMap<string, PlacedSummary> {
  const placed = new Map<string, PlacedSummary>()
  if (compactions.length === 0) return placed
  const byMessage = new Map(compactions.map((compaction) => [compaction.message_id, compaction]))
  const byId = new Map(messages.map((message) => [message.id, message]))
  let waiting: PlacedSummary | undefined
  let isReplaced = false
  for (let id = leafId; id !== null;) {
    const message = byId.get(id)
    if (message === undefined) break
    // Visit each message only once, so that a cycle ends the loop.
    byId.delete(id)
    const compaction = byMessage.get(id)
    if (compaction !== undefined) {
      waiting ??= { compaction, isReplaced }
      isReplaced = true
    }
    const isShown = message.role !== 'user' || message.server === undefined
    if (waiting !== undefined && isShown) {
      placed.set(id, waiting)
      waiting = undefined
    }
    id = message.parent_id
  }
  return placed
}
