import { describe, expect, it } from 'vitest'
import {
  compareNumbers,
  ExactNumber,
  isHeldByDouble,
  isWholeNumber,
  parseJsonExactly,
  readJson,
  RepeatedKeyError,
} from './exact-json.ts'

const repeated = (text: string): string => {
  try {
    readJson(text, { refusesRepeatedKeys: true })
  } catch (error) {
    if (error instanceof RepeatedKeyError) return error.message
    throw error
  }
  return ''
}

describe('a number', () => {
  it.each([
    '1234567890123456789',
    '-9007199254740993',
    '1e400',
    '-1E+400',
    '1e-400',
    '-0',
    '-0.0',
    '-0e5',
    '0.1000000000000000055511151231257827',
    '3.14159265358979323846',
    '18446744073709551615',
    '1E99999999999999999999',
    '1'.repeat(2_000),
  ])('that a double cannot hold stays as it was written: %s', (source) => {
    for (const text of [source, `[${source}]`, `{"a":{"b": ${source} }}`]) {
      const minified = text.replaceAll(' ', '')
      expect(JSON.stringify(parseJsonExactly(text))).toBe(minified)
      expect(JSON.stringify(readJson(text, {}))).toBe(minified)
    }
    expect(parseJsonExactly(` ${source}\n`)).toEqual(new ExactNumber(source))
  })

  it.each([
    '0',
    '1.0',
    '1E5',
    '1e21',
    '0.1',
    '0.30000000000000004',
    '9007199254740992',
    '1.7976931348623157e308',
    '5e-324',
    '100000000000000000000',
    '0.000000000000000000001000',
    '-12.50',
    '-0.5E-9',
    '0e5',
    '0.00',
    '1e-300',
  ])('that a double holds is an ordinary one: %s', (source) => {
    expect(parseJsonExactly(source)).toBe(Number(source))
    expect(readJson(source, {})).toBe(Number(source))
    expect(isHeldByDouble(source)).toBe(true)
  })

  it('can be compared, and known as whole', () => {
    const ordered = [
      '-1e400',
      '-2',
      '-0.5',
      '0',
      '1e-400',
      '0.1',
      '0.10000000000000001',
      '2',
      '9007199254740992',
      '9007199254740993',
      '1e400',
      '1e401',
    ]
    for (const [index, left] of ordered.entries())
      for (const [other, right] of ordered.entries())
        expect(Math.sign(compareNumbers(left, right))).toBe(Math.sign(index - other))
    expect(compareNumbers('1.50e1', '15')).toBe(0)
    expect(compareNumbers('-0', '0.00')).toBe(0)
    expect(compareNumbers(`1e${'0'.repeat(2_000)}1`, '10')).toBe(0)
    // Exponents of which comparing all digits would take long are equal.
    expect(compareNumbers(`1e${'9'.repeat(2_000)}`, `1e${'9'.repeat(3_000)}`)).toBe(0)
    expect(compareNumbers(`1e-${'9'.repeat(2_000)}`, '1e-999')).toBe(-1)
    expect(['1e400', '1.50e1', '-0', '0', '120'].every(isWholeNumber)).toBe(true)
    expect(['1e-400', '1.5', '9007199254740993.5', '1.5e0'].some(isWholeNumber)).toBe(false)
  })
})

describe('JSON', () => {
  const valid = [
    '{}',
    '[]',
    '""',
    'null',
    ' [true,false,null] ',
    '{"a":[{}],"__proto__":{"b":1},"toString":2}',
    '{"":"\\u0061\\"\\\\","\u2028":"\\ud800"}',
    '[1,-2.5e3,7]',
    '\t{\n"a"\r:1}',
    '{"a":1,"a":2}',
    '["\\\\","\\\\\\""]',
    '[[[],[1,[2]]],3]',
    '{"1":1,"0":2}',
  ]
  const broken = [
    '',
    '{',
    '}',
    '[',
    '[1,]',
    '{"a":1,}',
    '{"a"}',
    '{a:1}',
    "['a']",
    '01',
    '1.',
    '.5',
    '+1',
    '1e',
    '- 1',
    '--1',
    'nul',
    'nulll',
    'NaN',
    'Infinity',
    '"a',
    '"\n"',
    '"\u0000"',
    '"\\x"',
    '"\\u12"',
    '"\\"',
    '1 2',
    '{}{}',
    '\uFEFF{}',
    '{"a":1 "b":2}',
    '[1 2]',
    '0x1',
    '\u00a01',
    '[-]',
    '{"a":}',
    '{,}',
    '[,1]',
  ]

  it.each(valid)('is read as JSON.parse reads it: %j', (text) => {
    expect(readJson(text, {})).toEqual(JSON.parse(text))
    expect(JSON.stringify(readJson(text, {}))).toBe(JSON.stringify(JSON.parse(text)))
    expect(Object.getPrototypeOf(readJson('{"__proto__":{"b":1}}', {}))).toBe(Object.prototype)
  })

  it.each(broken)('that is broken is refused: %j', (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    expect(() => readJson(text, {})).toThrow(SyntaxError)
  })

  it('is accepted and refused like by JSON.parse, whatever is cut out of it', () => {
    const read = (parse: () => unknown) => {
      try {
        return JSON.stringify(parse())
      } catch {
        return undefined
      }
    }
    for (const text of [...valid, '{"a":[-1.5e+3,{"b\\u0041":"\\\\\\"x"},null,true ]}'])
      for (let start = 0; start < text.length; start++)
        for (let end = start; end <= text.length; end++)
          for (const mutated of [text.slice(start, end), text.slice(0, start) + text.slice(end)])
            expect(read(() => readJson(mutated, {}))).toBe(read(() => JSON.parse(mutated)))
  })

  it('may be nested deeply, and long', () => {
    const deep = `${'['.repeat(100_000)}1e400${']'.repeat(100_000)}`
    expect(parseJsonExactly(deep)).toEqual(expect.any(Array))
    const long = JSON.stringify({
      text: '\\"'.repeat(200_000),
      numbers: Array.from({ length: 50_000 }, () => 1),
    })
    expect(JSON.stringify(readJson(long, {}))).toBe(long)
  })

  it.each([
    ['{"id":1,"id":2}', 'the key "id" more than once'],
    ['{"id":1,"\\u0069d":1}', 'the key "id" more than once'],
    ['{"items":[{},{"a":{"id":1,"b":2,"id":1}}]}', 'the key "id" in "items.1.a" more than once'],
    ['{"__proto__":1,"__proto__":2}', 'the key "__proto__" more than once'],
    ['{"":1,"":2}', 'the key "" more than once'],
  ])('with a repeated key is refused: %s', (text, message) => {
    expect(repeated(text)).toBe(message)
    expect(readJson(text, {})).toEqual(JSON.parse(text))
  })

  it.each([
    '{"a":{"a":1},"b":{"a":1},"c":[{"a":1},{"a":1}]}',
    '{"\u00e9":1,"e\u0301":2}',
    '{"toString":1,"constructor":2}',
    '["a","a"]',
    '{"1":1,"01":2,"1.0":3}',
  ])('with different keys is not: %s', (text) => {
    expect(repeated(text)).toBe('')
  })

  it('can be returned as it was written under a key', () => {
    const text = '{"args": {"id" : 1e400,"args":{"id":1},"id":2 }, "name":"x"}'
    expect(readJson(text, { sourceKey: 'args' })).toEqual({
      args: '{"id" : 1e400,"args":{"id":1},"id":2 }',
      name: 'x',
    })
    expect(readJson('[{"args":"{}"},{"args":null}]', { sourceKey: 'args' })).toEqual([
      { args: '{}' },
      { args: null },
    ])
  })
})
