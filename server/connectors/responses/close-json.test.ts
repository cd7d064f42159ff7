import { expect, it } from 'vitest'
import { closeJson } from './close-json.ts'

const text = JSON.stringify({
  jsonrpc: '2.0',
  result: {
    content: [{ type: 'text', text: 'a "b" \\ \u0000 é {[,]}' }, [1, -2.5e3, true, null, {}]],
    'x"y': [[]],
  },
  id: 3,
})

it('completes JSON that was cut off anywhere', () => {
  for (let length = 1; length <= text.length; length++) {
    const closed = closeJson(text.slice(0, length))
    expect(() => JSON.parse(closed), closed).not.toThrow()
  }
  expect(JSON.parse(closeJson(text))).toEqual(JSON.parse(text))
})

it.each([
  ['{"a":"begin', { a: 'begin' }],
  ['{"a":"begin\\', { a: 'begin' }],
  ['{"a":"begin\\\\', { a: 'begin\\' }],
  ['{"a":"begin\\u00', { a: 'begin' }],
  ['{"a":1,"b', { a: 1 }],
  ['{"a":1,"b":', { a: 1 }],
  ['{"a":[1,2', { a: [1] }],
  ['{"a":[{"b":1},', { a: [{ b: 1 }] }],
])('keeps the beginning of %s', (cut, value) => {
  expect(JSON.parse(closeJson(cut))).toEqual(value)
})

it('takes time in proportion to the length, however deep the text is nested', () => {
  const start = performance.now()
  closeJson('[{"a":'.repeat(300_000))
  closeJson('"\\'.repeat(1_000_000))
  expect(performance.now() - start).toBeLessThan(2_000)
})
