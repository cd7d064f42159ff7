/**
 * Orders nodes so that each comes after its parent, and changes their order no further. A node whose parent is missing
 * becomes a root, and so does one node of each cycle. Of nodes with the same id the first counts.
 */
export function toForest<Node extends { readonly id: string; readonly parentId: string | null }>(
  nodes: readonly Node[],
): readonly Node[] {
  const byId = new Map<string, Node>()
  for (const node of nodes) if (!byId.has(node.id)) byId.set(node.id, node)
  const placed = new Map<string, Node>()
  for (const node of byId.values()) {
    const path = new Map<string, Node>()
    let at: Node | undefined = node
    while (at !== undefined && !placed.has(at.id) && !path.has(at.id)) {
      path.set(at.id, at)
      at = at.parentId === null ? undefined : byId.get(at.parentId)
    }
    let isRoot = at === undefined || !placed.has(at.id)
    for (const next of [...path.values()].toReversed()) {
      placed.set(next.id, isRoot ? { ...next, parentId: null } : next)
      isRoot = false
    }
  }
  return [...placed.values()]
}
