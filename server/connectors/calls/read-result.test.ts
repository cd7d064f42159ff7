import { expect, it } from 'vitest'
import { connectorLimits } from '../connector-limits.ts'
import { isDeeperThan } from '../../lib/canonical-json.ts'
import { readResult } from './read-result.ts'

function nest(inner: unknown, depth: number): unknown {
  return depth === 0 ? inner : nest([inner], depth - 1)
}

it('indents a structured result, unless that would make it many times longer', async () => {
  const small = await readResult({ structuredContent: { a: [1] } }, connectorLimits)
  expect(small.parts).toEqual([{ type: 'json', text: '{\n  "a": [\n    1\n  ]\n}' }])
  const structuredContent = {
    a: nest(
      Array.from({ length: 100_000 }, () => 0),
      50,
    ),
  }
  const large = await readResult({ structuredContent }, connectorLimits)
  expect(large.parts).toEqual([{ type: 'json', text: JSON.stringify(structuredContent) }])
  expect(large.text.length).toBeLessThan(connectorLimits.maxResultChars + 100)
})

it.each([
  [0, 0, false],
  [{}, 0, false],
  [{ a: 1 }, 0, true],
  [{ a: 1 }, 1, false],
  [[[]], 1, false],
  [[[], { b: [1] }], 2, true],
  [[[], { b: [1] }], 3, false],
])('%j is deeper than %i: %s', (value, limit, isDeeper) => {
  expect(isDeeperThan(value, limit)).toBe(isDeeper)
})
