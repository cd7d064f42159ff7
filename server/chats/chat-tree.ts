/** A message's position in its chat. */
interface TreeNode {
  readonly id: string
  readonly parent_id: string | null
}

/**
 * Returns the leaf to select for a message: the newest message below it, or itself. `nodes` are oldest first, so a
 * message comes after its parent (§14.6).
 */
export function newestLeafBelow(nodes: readonly TreeNode[], id: string): string {
  const below = new Set([id])
  let newest = id
  for (const node of nodes) {
    if (node.parent_id === null || !below.has(node.parent_id)) continue
    below.add(node.id)
    newest = node.id
  }
  return newest
}
