/** A message's place in the tree of its chat. Times are in milliseconds since 1970. */
export interface TreeNode {
  readonly id: string
  readonly parent_id: string | null
  /** When the message was written. */
  readonly unix_timestamp: number
  /** When the user last switched to another version and this message became the end of the shown path. */
  readonly selected_at?: number | null | undefined
}

/** When a message was last the end of the shown path, as far as this is stored: when it was written or chosen. */
function shownAt({ unix_timestamp, selected_at }: TreeNode): number {
  return Math.max(unix_timestamp, selected_at ?? 0)
}

/**
 * Returns the leaf to select for a version: the message below it that was shown last, or the version itself.
 * `nodes` are oldest first, so a message comes after its parent.
 */
export function findLastShownLeaf(nodes: readonly TreeNode[], id: string): string {
  const below = new Set([id])
  let leaf = id
  let latest = 0
  for (const node of nodes) {
    if (node.parent_id === null || !below.has(node.parent_id)) continue
    below.add(node.id)
    // A child of the leaf becomes the leaf, even when the clock was set back in the meantime.
    if (node.parent_id !== leaf && shownAt(node) < latest) continue
    leaf = node.id
    latest = Math.max(latest, shownAt(node))
  }
  return leaf
}

/** Returns the `selected_at` of a leaf that is selected at `now`: later than everything that was shown before. */
export function nextSelectedAt(nodes: readonly TreeNode[], now: number): number {
  return nodes.reduce((latest, node) => Math.max(latest, shownAt(node) + 1), now)
}
