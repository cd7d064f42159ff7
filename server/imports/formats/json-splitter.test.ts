import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JsonSplitter, maxElementBytes } from './json-splitter.ts'

function split(text: string | Buffer, { size = 7, keys = ['chats'] } = {}) {
  const splitter = new JsonSplitter(new Set(keys))
  const bytes = Buffer.from(text)
  const parts = []
  for (let at = 0; at < bytes.length; at += size) parts.push(...splitter.push(bytes.subarray(at, at + size)))
  return [...parts, ...splitter.end()]
}

const valuesOf = (text: string, size?: number) =>
  split(text, { ...(size !== undefined && { size }) }).map(({ result }) =>
    'value' in result ? result.value : result.problem,
  )

test('cuts a list into the same elements, whatever the chunks', () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue()),
      fc.integer({ min: 1, max: 40 }),
      fc.boolean(),
      (values, size, isWide) => {
        const text = JSON.stringify(values, null, isWide ? 2 : 0)
        expect(valuesOf(text, size)).toEqual(JSON.parse(text))
      },
    ),
  )
})

test('cuts an object into its members, and the lists with chats into elements', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.array(fc.jsonValue()),
      fc.integer({ min: 1, max: 40 }),
      (members, chats, size) => {
        const object = { ...members, chats }
        const text = JSON.stringify(object)
        const read: Record<string, unknown> = Object.create(null)
        const items: unknown[] = []
        for (const { key, isItem, result } of split(text, { size })) {
          if (!('value' in result)) throw new Error(result.problem)
          if (isItem) items.push(result.value)
          else read[key ?? ''] = result.value
        }
        const { chats: _chats, ...others } = JSON.parse(text) as Record<string, unknown>
        expect(JSON.parse(JSON.stringify(read))).toEqual(others)
        expect(items).toEqual(JSON.parse(JSON.stringify(chats)))
      },
    ),
  )
})

test('reads a text with a byte order mark', () => {
  expect(valuesOf('\uFEFF[{"a":"é"}]')).toEqual([{ a: 'é' }])
})

const broken = 'It is damaged: it is not valid JSON.'

test.each([
  ['a wrong word', '[{"a":1},{"b":x},{"c":2}]', [{ a: 1 }, broken, { c: 2 }]],
  ['a missing bracket of a list', '[{"a":[1,2},{"c":2}]', [broken, { c: 2 }]],
  ['a missing bracket of an object', '[{"a":[{"b":1]},{"c":2}]', [broken, { c: 2 }]],
  ['a surplus bracket', '[{"a":1}},{"c":2}]', [{ a: 1 }, { c: 2 }]],
  ['a surplus bracket of a list', '[{"a":1]},{"c":2}]', [broken, { c: 2 }]],
  ['a missing comma', '[{"a":1} {"c":2}]', [{ a: 1 }, { c: 2 }]],
  ['an end in an element', '[{"a":1},{"b":"2', [{ a: 1 }, 'The file ends in the middle of it.']],
  ['an end between elements', '[{"a":1},', [{ a: 1 }, 'The file ends too early. Chats may be missing.']],
  ['a control character', '[{"a":"\u0001"},{"c":2}]', [broken, { c: 2 }]],
])('goes on after %s', (_name, text, values) => {
  for (const size of [1, 3, 1_000]) expect(valuesOf(text, size)).toEqual(values)
})

test('skips an element that is too large, and keeps its beginning', () => {
  const filling = Buffer.alloc(maxElementBytes, 'x')
  const bytes = Buffer.concat([
    Buffer.from('[{"id":"big","text":"'),
    filling,
    Buffer.from('"},{"id":"small"}]'),
  ])
  const [big, small] = split(bytes, { size: 65_536 })
  expect(big?.result).toMatchObject({ problem: 'It is larger than 64 MB.' })
  expect(big?.result).toMatchObject({ start: expect.stringMatching(/^\{"id":"big","text":"x+$/) as string })
  expect(small?.result).toEqual({ value: { id: 'small' } })
})

test('skips an element with so many values that parsing it could use up the memory', () => {
  const [many, next] = split(`[["x"${',{}'.repeat(2_100_000)}],{"c":2}]`, { size: 65_536 })
  expect(many?.result).toMatchObject({ problem: 'It has too many parts.' })
  expect(next?.result).toEqual({ value: { c: 2 } })
})

test('survives any depth', () => {
  const [deep, next] = split(`[${'['.repeat(1_500_000)}${']'.repeat(1_500_000)},{"c":2}]`, { size: 65_536 })
  expect(deep?.result).toMatchObject({ problem: 'It is nested too deeply.' })
  expect(next?.result).toEqual({ value: { c: 2 } })
})

test('reads nothing from what is no JSON', () => {
  expect(valuesOf('<!doctype html><p>[1,2]</p>')).toEqual([])
  expect(valuesOf('')).toEqual([])
})
