/** A message's place in its chat. */
export interface TreeNode {
  readonly id: string
  readonly parent_id: string | null
}

/** The path from the root to a message, root first; empty when the message is missing. A missing parent ends the path. */
export function pathTo<Node extends TreeNode>(
  nodes: readonly Node[],
  leafId: string | null,
): readonly Node[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const path: Node[] = []
  for (let id = leafId; id !== null;) {
    const node = byId.get(id)
    if (node === undefined) break
    path.push(node)
    // No message is visited twice, so a cycle cannot loop forever.
    byId.delete(id)
    id = node.parent_id
  }
  return path.reverse()
}

/**
 * The leaf to select for a message: the newest message below it, or itself. `nodes` are oldest first, so a message
 * comes after its parent (§14.6).
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
