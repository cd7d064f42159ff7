import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newestLeafBelow, pathTo } from './chat-tree.ts'

const node = (id: string, parent_id: string | null) => ({ id, parent_id })

/** Trees in the order of writing: each node's parent stands before it. */
const trees = fc
  .array(fc.nat(), { minLength: 1, maxLength: 40 })
  .map((picks) =>
    picks.map((pick, index) => node(`${index}`, index === 0 || pick % 5 === 0 ? null : `${pick % index}`)),
  )

describe('pathTo', () => {
  it('returns the path from the root to the message (§4.26)', () => {
    const nodes = [node('a', null), node('b', 'a'), node('c', 'a'), node('d', 'c')]
    expect(pathTo(nodes, 'd').map(({ id }) => id)).toEqual(['a', 'c', 'd'])
    expect(pathTo(nodes, null)).toEqual([])
    expect(pathTo(nodes, 'nothing')).toEqual([])
  })

  it('ends when the tree has a cycle', () => {
    expect(pathTo([node('a', 'b'), node('b', 'a')], 'a').length).toBe(2)
    expect(pathTo([node('a', 'a')], 'a').length).toBe(1)
  })

  it('links every message to its parent', () => {
    fc.assert(
      fc.property(trees, (nodes) => {
        for (const { id } of nodes) {
          const path = pathTo(nodes, id)
          expect(path.at(-1)?.id).toBe(id)
          expect(path.map((step) => step.parent_id)).toEqual([
            null,
            ...path.slice(0, -1).map((step) => step.id),
          ])
        }
      }),
    )
  })
})

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
          expect(pathTo(nodes, leaf).some((step) => step.id === id)).toBe(true)
        }
      }),
    )
  })
})
