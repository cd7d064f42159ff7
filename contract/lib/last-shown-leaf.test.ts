import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findLastShownLeaf, nextSelectedAt, type TreeNode } from './last-shown-leaf.ts'

const node = (
  id: string,
  parent_id: string | null,
  unix_timestamp: number,
  selected_at?: number,
): TreeNode => ({
  id,
  parent_id,
  unix_timestamp,
  selected_at,
})

/** Trees in the order in which they were written: the parent of a node comes before it. */
const trees = fc
  .array(fc.record({ pick: fc.nat(), selectedAt: fc.option(fc.nat({ max: 60 }), { nil: undefined }) }), {
    minLength: 1,
    maxLength: 40,
  })
  .map((picks) =>
    picks.map(({ pick, selectedAt }, index) =>
      node(`${index}`, index === 0 || pick % 5 === 0 ? null : `${pick % index}`, index, selectedAt),
    ),
  )

/** The ids of a node and of all nodes above it. */
function listAncestors(nodes: readonly TreeNode[], id: string): string[] {
  const parentId = nodes.find((candidate) => candidate.id === id)?.parent_id ?? null
  return parentId === null ? [id] : [id, ...listAncestors(nodes, parentId)]
}

describe('findLastShownLeaf', () => {
  const written = [
    node('q', null, 1),
    node('a1', 'q', 2),
    node('a2', 'q', 3),
    node('q2', 'a1', 4),
    node('a3', 'q2', 5),
    node('a4', 'q2', 6),
  ]

  it('finds the newest message where no version was chosen (§4.25)', () => {
    expect(findLastShownLeaf(written, 'a1')).toBe('a4')
    expect(findLastShownLeaf(written, 'a2')).toBe('a2')
    expect(findLastShownLeaf(written, 'q')).toBe('a4')
  })

  it('finds the leaf that was chosen last, unless a newer message was written since', () => {
    const select = (nodes: readonly TreeNode[], id: string) =>
      nodes.map((known) => (known.id === id ? { ...known, selected_at: nextSelectedAt(nodes, 0) } : known))
    const chosen = select(written, 'a3')
    expect(findLastShownLeaf(chosen, 'a1')).toBe('a3')
    const left = select(chosen, 'a2')
    expect(findLastShownLeaf(left, 'a1')).toBe('a3')
    expect(findLastShownLeaf(left, 'q')).toBe('a2')
    expect(findLastShownLeaf([...left, node('a5', 'q2', 20)], 'a1')).toBe('a5')
  })

  it('finds the reply to a chosen leaf, also when the clock was set back', () => {
    const nodes = [node('q', null, 1), node('a1', 'q', 2, 900), node('a2', 'q', 3), node('q2', 'a1', 4)]
    expect(findLastShownLeaf(nodes, 'q')).toBe('q2')
  })

  it('always returns a leaf below the message', () => {
    fc.assert(
      fc.property(trees, (nodes) => {
        for (const { id } of nodes) {
          const leaf = findLastShownLeaf(nodes, id)
          expect(nodes.some((other) => other.parent_id === leaf)).toBe(false)
          expect(listAncestors(nodes, leaf)).toContain(id)
        }
      }),
    )
  })
})

it('gives every selection a later time than everything that was shown before', () => {
  const nodes = [node('q', null, 5), node('a', 'q', 6, 40)]
  expect(nextSelectedAt(nodes, 10)).toBe(41)
  expect(nextSelectedAt(nodes, 100)).toBe(100)
})
