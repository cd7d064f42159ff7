import { expect, it } from 'vitest'
import { indentJson } from './indent-json.ts'

it('puts each part on a line of its own', () => {
  expect(indentJson('{"a":[1,{"b":null}],"c":{},"d":[]}')).toBe(
    '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ],\n  "c": {},\n  "d": []\n}',
  )
})

it('changes no token: long numbers, repeated names, escapes, brackets in strings', () => {
  expect(indentJson('{"n":12345678901234567890.10,"n":1e400}')).toBe(
    '{\n  "n": 12345678901234567890.10,\n  "n": 1e400\n}',
  )
  expect(indentJson(String.raw`{"s":"\u202e a \"{[,:]}\" \\"}`)).toBe(
    `{\n  "s": ${String.raw`"\u202e a \"{[,:]}\" \\"`}\n}`,
  )
})

it('returns a text that is not JSON unchanged', () => {
  expect(indentJson('{"a":')).toBe('{"a":')
  expect(indentJson('two words')).toBe('two words')
})

it('limits the indentation of deep nesting', () => {
  const deep = '['.repeat(5000) + ']'.repeat(5000)
  expect(indentJson(deep).length).toBeLessThan(deep.length * 50)
})

it('returns a long text unchanged when indenting would make it ten times longer', () => {
  const nest = (inner: string) => `${'['.repeat(20)}${inner}${']'.repeat(20)}`
  const long = nest(Array.from({ length: 20_000 }, () => 0).join())
  expect(indentJson(long)).toBe(long)
  expect(indentJson(nest('0'))).toContain('\n')
})
