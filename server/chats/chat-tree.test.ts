import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newestLeafBelow } from './chat-tree.ts'

const node = (id: string, parent_id: string | null) => ({ id, parent_id })

/** Trees in the order in which they were written: the parent of a node comes before it. */
const trees = fc
  .array(fc.nat(), { minLength: 1, maxLength: 40 })
  .map((picks) =>
    picks.map((pick, index) => node(`${index}`, index === 0 || pick % 5 === 0 ? null : `${pick % index}`)),
  )

/** The ids of a node and of all nodes above it. */
function listAncestors(nodes: readonly { id: string; parent_id: string | null }[], id: string): string[] {
  const parentId = nodes.find((candidate) => candidate.id === id)?.parent_id ?? null
  return parentId === null ? [id] : [id, ...listAncestors(nodes, parentId)]
}

describe('newestLeafBelow', () => {
  it('finds the newest message of the branch (§4.25, §14.6)', () => {
    const nodes = [
      node('q', null),
      node('a1', 'q'),
      node('a2', 'q'),
      node('q2', 'a1'),
      node('a3', 'q2'),
      node('a4', 'q2'),
    ]
    expect(newestLeafBelow(nodes, 'a1')).toBe('a4')
    expect(newestLeafBelow(nodes, 'a2')).toBe('a2')
    expect(newestLeafBelow(nodes, 'q')).toBe('a4')
  })

  it('always returns a leaf below the message', () => {
    fc.assert(
      fc.property(trees, (nodes) => {
        for (const { id } of nodes) {
          const leaf = newestLeafBelow(nodes, id)
          expect(nodes.some((other) => other.parent_id === leaf)).toBe(false)
          expect(listAncestors(nodes, leaf)).toContain(id)
        }
      }),
    )
  })
})
