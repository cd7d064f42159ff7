import { expect, it } from 'vitest'
import { isDeeperThan } from '../../lib/canonical-json.ts'
import { connectorLimits } from '../connector-limits.ts'
import { readResult } from './read-result.ts'

function nest(inner: unknown, depth: number): unknown {
  return depth === 0 ? inner : nest([inner], depth - 1)
}

it('indents a structured result, unless that would make it many times longer', () => {
  const small = readResult({ structuredContent: { a: [1] } }, connectorLimits)
  expect(small.parts).toEqual([{ type: 'json', text: '{\n  "a": [\n    1\n  ]\n}' }])
  const structuredContent = {
    a: nest(
      Array.from({ length: 100_000 }, () => 0),
      50,
    ),
  }
  const large = readResult({ structuredContent }, connectorLimits)
  expect(large.parts).toEqual([{ type: 'json', text: JSON.stringify(structuredContent) }])
  expect(large.text.length).toBeLessThan(connectorLimits.maxResultChars + 100)
})

it.each([
  ['text', { content: [{ type: 'text', text: hide('a b') }] }],
  ['a file', { content: [{ type: 'resource', resource: { text: hide('a b') } }] }],
  ['a structured result', { structuredContent: hide('a b') }],
])('gives the model of %s only what the user can see, and the user all of it', (_, result) => {
  const { text, parts } = readResult(result, connectorLimits)
  expect(text).toMatch(/^"?a b"?$/)
  expect(parts).toHaveLength(1)
  expect(parts[0]).toHaveProperty('text', expect.stringContaining(hide('a b')))
})

function hide(text: string): string {
  return Array.from(text, (character) => `${character}\uFE00\u{E0101}\u00AD\u034F\u200D\u3164\u{E0041}`).join(
    '',
  )
}

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
