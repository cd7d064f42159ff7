import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { ArgumentChecker } from './check-arguments.ts'

const checker = new ArgumentChecker()
afterAll(() => checker.close())
afterEach(() => vi.restoreAllMocks())

const active = new AbortController().signal
let tools = 0
const toolOf = (inputSchema: unknown) => {
  tools += 1
  return { fingerprint: `f${tools}`, definition: JSON.stringify({ name: 't', description: '', inputSchema }) }
}
const check = (schema: unknown, values: unknown) =>
  checker.check('ada', toolOf(schema), JSON.stringify(values), active)

const mail = {
  type: 'object',
  properties: {
    to: { type: 'array', items: { type: 'string', format: 'email' } },
    size: { anyOf: [{ type: 'integer' }, { enum: ['small', 'large'] }] },
  },
  required: ['to'],
  additionalProperties: false,
}

describe('the check of arguments', () => {
  it('returns nothing for arguments that fit, and does not enforce a format', async () => {
    expect(await check(mail, { to: ['nobody'], size: 'small' })).toBeUndefined()
    expect(await check({ type: 'object' }, {})).toBeUndefined()
  })

  it('takes null for a parameter that may be left out, and only for such a one', async () => {
    expect(await check(mail, { to: [], size: null })).toBeUndefined()
    expect(await check(mail, { to: null })).toContain('"to": The type "null" is invalid.')
  })

  it.each([
    [{}, '- A required parameter is missing: "to".'],
    [{ to: 'ann@example.com' }, '- "to": The type "string" is invalid. Expected "array".'],
    [{ to: [1] }, '- "to/0": The type "number" is invalid. Expected "string".'],
    [{ to: [], cc: [] }, '- "cc": This parameter or value is not allowed.'],
    [
      { to: [], size: 1.5 },
      '- "size": The value fits none of the permitted alternatives.\n- "size": The type "number" is invalid. Expected "integer".\n- "size": The value must be one of ["small","large"].',
    ],
  ])('names what does not fit in %j', async (values, problem) => {
    expect(await check(mail, values)).toBe(`The arguments do not fit the parameters of the tool:\n${problem}`)
  })

  it.each([
    [{ not: { required: ['a'] } }, 'The value is not allowed.'],
    [{ oneOf: [{}, {}] }, 'The value must fit exactly one of the permitted alternatives.'],
    [{ maxProperties: 0 }, 'The object has too many properties.'],
    [{ minProperties: 2 }, 'The object does not have at least 2 properties.'],
    [{ properties: { a: { const: 'y' } } }, '"a": The value must be "y".'],
    [{ patternProperties: { a: false } }, '"a": This parameter or value is not allowed.'],
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    [{ if: {}, then: { required: ['b'] } }, 'A required parameter is missing: "b".'],
    [{ dependentSchemas: { a: { required: ['b'] } } }, 'A required parameter is missing: "b".'],
    [{ dependentRequired: { a: ['b'] } }, 'The object has "a" but does not have "b".'],
    [
      { properties: { a: { items: false, type: 'array' } } },
      '"a": The type "string" is invalid. Expected "array".',
    ],
  ])('describes the problem with %j in plain words', async (schema, problem) => {
    expect(await check({ type: 'object', ...schema }, { a: 'x' })).toBe(
      `The arguments do not fit the parameters of the tool:\n- ${problem}`,
    )
  })

  const big = '9007199254740993'
  it.each([
    ['integer', '{"type":"integer"}', '1234567890123456789'],
    ['integer', '{"type":"integer"}', '1e400'],
    ['integer', '{"type":"integer"}', '-0'],
    ['number', '{"type":"number"}', '0.1000000000000000055511151231257827'],
    ['minimum', '{"exclusiveMinimum":9007199254740992}', big],
    ['maximum', '{"exclusiveMaximum":9007199254740994}', big],
    ['maximum', `{"maximum":${big}}`, big],
    ['maximum', '{"maximum":18446744073709551615}', '18446744073709551615'],
    ['enum', `{"enum":[9007199254740992,${big}]}`, big],
    ['const', `{"const":${big}}`, big],
    ['not', `{"not":{"const":9007199254740992}}`, big],
    ['uniqueItems', '{"uniqueItems":true}', `[9007199254740992,${big},9007199254740994]`],
    ['multipleOf', '{"multipleOf":3}', '1234567890123456789'],
  ])('takes a number that a double cannot hold: %s %s %s', async (_, property, value) => {
    const schema = JSON.parse('{"type":"object"}') as object
    const definition = `{"inputSchema":{"type":"object","properties":{"a":${property},"b":{"type":"integer"}}}}`
    const tool = { ...toolOf(schema), definition }
    expect(await checker.check('ada', tool, `{"a":${value},"b":5}`, active)).toBeUndefined()
    // The same in a thread, which a pattern needs.
    const slow = { ...toolOf(schema), definition: definition.replace('"b":{', '"b":{"pattern":"b",') }
    expect(await checker.check('ada', slow, `{"a":${value},"b":5}`, active)).toBeUndefined()
    expect(await checker.check('ada', tool, `{"a":${value},"b":5.5}`, active)).toContain('"b"')
  })

  it.each([
    ['{"type":"integer"}', '5.0000000000000000001', 'The type "number" is invalid. Expected "integer".'],
    ['{"type":"string"}', '1e400', 'The type "number" is invalid. Expected "string".'],
    ['{"maximum":9007199254740992}', big, `${big} is greater than 9007199254740992.`],
    [`{"minimum":${big}}`, '9007199254740992', `9007199254740992 is less than ${big}.`],
    ['{"maximum":100}', '1e400', '1e400 is greater than 100.'],
    ['{"minimum":0}', '-1e-400', '-1e-400 is less than 0.'],
    ['{"enum":[9007199254740992]}', big, 'The value must be one of [9007199254740992].'],
    ['{"const":9007199254740992}', big, 'The value must be 9007199254740992.'],
  ])('refuses a number that only rounds to one that fits: %s %s', async (property, value, problem) => {
    const definition = `{"inputSchema":{"type":"object","properties":{"a":${property}}}}`
    const found = await checker.check('ada', { ...toolOf({}), definition }, `{"a":${value}}`, active)
    expect(found).toBe(`The arguments do not fit the parameters of the tool:\n- "a": ${problem}`)
  })

  it('refuses a repeated key, also when the schema cannot be used', async () => {
    const sentence = 'The arguments have the key "id" in "a.0" more than once.'
    const text = '{"a":[{"id":1,"\\u0069d":2}]}'
    expect(await checker.check('ada', toolOf({ type: 'object' }), text, active)).toBe(sentence)
    expect(await checker.check('ada', toolOf({ $schema: 'unknown' }), text, active)).toBe(sentence)
  })

  it('names five problems at most, without invisible characters', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `n\u202E${index}`)
    const found = await check({ type: 'object', required: names }, {})
    expect(found?.split('\n- ')).toHaveLength(6)
    expect(found).not.toContain('\u202E')
  })

  it('refuses arguments that are nested too deeply', async () => {
    const deep = JSON.parse('{"a":'.repeat(40) + '1' + '}'.repeat(40)) as unknown
    expect(await check({ type: 'object' }, deep)).toContain('32 levels')
  })

  it('compares patterns and references in a thread', async () => {
    const schema = {
      type: 'object',
      properties: { id: { $ref: '#/$defs/id' } },
      $defs: { id: { type: 'string', pattern: '^[a-z]+$' } },
    }
    expect(await check(schema, { id: 'abc' })).toBeUndefined()
    expect(await check(schema, { id: 'A1' })).toContain('"id": String does not match pattern.')
  })

  it.each([
    ['a broken pattern', { properties: { a: { pattern: '(' } } }],
    ['a reference to nothing', { properties: { a: { $ref: '#/$defs/none' } } }],
    ['another document', { properties: { a: { $ref: 'http://127.0.0.1:1/schema' } } }],
    ['a reference to itself', { properties: { a: { $ref: '#/properties/a' } } }],
    ['an unknown dialect', { $schema: 'https://example.com/my-schema', type: 'string' }],
    ['a keyword of a wrong type', { properties: 5, required: 7 }],
  ])('checks nothing with a schema that cannot be used: %s', async (_what, schema) => {
    expect(await check(schema, { a: 'x' })).toBeUndefined()
  })

  it('does not try a slow pattern again for ten minutes, and never blocks the event loop', async () => {
    const tool = toolOf({ properties: { text: { pattern: '^(a+)+$' } } })
    const slow = JSON.stringify({ text: `${'a'.repeat(60)}!` })
    let ticks = 0
    const timer = setInterval(() => (ticks += 1), 10)
    expect(await checker.check('eve', tool, slow, active)).toBeUndefined()
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(1)
    // A short text would be refused, if the pattern were tried.
    expect(await checker.check('eve', tool, '{"text":"!"}', active)).toBeUndefined()
    const later = performance.now() + 10 * 60_000 + 1
    vi.spyOn(performance, 'now').mockImplementation(() => later)
    expect(await checker.check('eve', tool, '{"text":"!"}', active)).toContain('"text": ')
  })

  it('interprets a schema of the largest size within its limits', async () => {
    const anyOf = Array.from({ length: 1_500 }, (_, index) => ({ const: `v${index}` }))
    const values = { list: Array.from({ length: 1_000 }, () => 'none') }
    const found = await check({ properties: { list: { items: { anyOf } } } }, values)
    expect(
      found === undefined || found.includes('"list/0": The value fits none of the permitted alternatives.'),
    ).toBe(true)
  })

  it.each([
    [
      'many lengths of a long text',
      { additionalProperties: { allOf: Array.from({ length: 1_900 }, () => ({ maxLength: 1 })) } },
      { a: 'x'.repeat(1_000_000) },
    ],
    [
      'errors that quote a long text many times',
      { properties: { a: { items: { enum: ['y'.repeat(30_000)] } } } },
      { a: Array.from({ length: 16_000 }, () => 1) },
    ],
  ])('leaves the event loop free with few values and %s', async (_what, schema, values) => {
    const order: string[] = []
    const checked = check(schema, values).then(() => order.push('checked'))
    setImmediate(() => order.push('turned'))
    await checked
    expect(order).toEqual(['turned', 'checked'])
  })

  it('describes one of many values that do not fit, with the memory that a thread may have', async () => {
    const schema = { properties: { a: { items: { enum: ['y'.repeat(30_000)] } } } }
    const found = await check(schema, { a: Array.from({ length: 16_000 }, () => 1) })
    expect(found).toContain('"a/0": The value must be one of')
    expect(found).not.toContain('"a/1"')
  })

  it('ends with the run, also while other checks of the user run, and the schema is used later', async () => {
    const slow = toolOf({ properties: { text: { pattern: '^(a+)+$' } } })
    const running = checker.check('ada', slow, JSON.stringify({ text: `${'a'.repeat(60)}!` }), active)
    let isRunning = true
    const ended = running.then(() => (isRunning = false))
    const run = new AbortController()
    const tool = toolOf({ properties: { id: { pattern: '^[a-z]+$' } } })
    const stopped = checker.check('ada', tool, '{"id":"A1"}', run.signal)
    run.abort('stopped')
    expect(await stopped).toBeUndefined()
    expect(isRunning).toBe(true)
    await ended
    expect(await checker.check('ada', tool, '{"id":"A1"}', active)).toContain('"id": String does not match')
  })
})
