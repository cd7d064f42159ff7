import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connectorLimits } from '../connector-limits.ts'
import { joinPages, readPage } from './read-tools.ts'
import type { ToolDefinition } from './tool-store.ts'

const url = 'https://tools.example/mcp'
const schema = { type: 'object', properties: {} }
const tool = (fields: Record<string, unknown> = {}) => ({ name: 'echo', inputSchema: schema, ...fields })

function readTools(listed: readonly unknown[], at = url) {
  const { tools, notice } = joinPages([readPage(listed, at, connectorLimits)], connectorLimits, true)
  return {
    notice,
    tools: tools.map((each) => ({ ...each, definition: JSON.parse(each.definition) as ToolDefinition })),
  }
}
const read = (...tools: unknown[]) => readTools(tools)

/** Returns a schema that is nested this deep. */
function nest(depth: number): Record<string, unknown> {
  let inner: Record<string, unknown> = { type: 'object' }
  for (let level = 0; level < depth; level++) inner = { type: 'object', properties: { a: inner } }
  return inner
}

describe('readPage', () => {
  it('keeps valid tools beside invalid ones', () => {
    const { tools, notice } = read(
      tool(),
      null,
      7,
      tool({ name: 'x', inputSchema: 'none' }),
      tool({ name: '' }),
      tool({ name: 'b' }),
    )
    expect(tools.filter(({ problem }) => problem === null).map(({ definition }) => definition.name)).toEqual([
      'echo',
      'b',
    ])
    expect(tools.find(({ definition }) => definition.name === 'x')?.problem).toContain('parameters')
    expect(notice).toContain('no usable name')
    expect(notice).toContain('"x"')
  })

  it('reports no problem when there is none', () => {
    expect(read(tool()).notice).toBeNull()
  })

  it.each([
    ['a NUL', 'a\0b'],
    ['a lone surrogate', 'a\uD800'],
    ['too many characters', 'x'.repeat(129)],
    ['only spaces', '  '],
    ['a right-to-left override', 'a\u202Eb'],
    ['a zero-width space', 'a\u200Bb'],
    ['tag characters', 'a\u{E0061}'],
    ['a line break', 'a\nb'],
    ['a variation selector', 'a\uFE0F'],
    ['a supplementary variation selector', 'a\u{E0101}'],
    ['a soft hyphen', 'a\u00ADb'],
    ['a combining grapheme joiner', 'a\u034Fb'],
    ['a Hangul filler', 'a\u3164'],
    ['a blank braille pattern', 'a\u2800b'],
    ['a selector that its emoji needs', '\u2764\uFE0F'],
    ['a private character', 'a\uE000'],
    ['a space of another kind', 'a\u00A0b'],
    ['two spaces in a row', 'a  b'],
    ['two spaces at its end', 'a  '],
  ])('ignores a tool whose name has %s', (_, name) => {
    expect(read(tool({ name })).tools).toEqual([])
  })

  it.each([' a', 'a ', ' a b '])('keeps a tool with a space at an end of its name: %j', (name) => {
    expect(read(tool({ name })).tools.map(({ definition }) => definition.name)).toEqual([name])
  })

  it('never stores two names that look the same but for invisible characters', () => {
    const hidden = fc.constantFrom(
      ...Array.from('\u200B\u00AD\u034F\uFE0F\u115F\u3164\u2800\u00A0\u{E0041}\u{E0100} '),
    )
    const names = fc.array(fc.oneof(fc.constantFrom('a', 'b', ' '), hidden), { maxLength: 6 })
    fc.assert(
      fc.property(fc.array(names, { maxLength: 20 }), (given) => {
        const { tools } = read(...given.map((characters) => tool({ name: characters.join('') })))
        const shown = tools.map(({ definition: { name } }) => name.replaceAll(/[^ab ]/gu, ''))
        expect(tools.map(({ definition }) => definition.name)).toEqual(shown)
        expect(new Set(shown.map((name) => name.replaceAll(/ +/g, ' ').trim())).size).toBe(tools.length)
      }),
    )
  })

  it('keeps the first of two tools with one name', () => {
    const { tools, notice } = read(tool({ description: 'first' }), tool({ description: 'second' }))
    expect(tools.map(({ definition }) => definition.description)).toEqual(['first'])
    expect(notice).toContain('more than once')
  })

  it('mentions tools that are not stored before those that are listed more than once', () => {
    const names = Array.from({ length: 201 }, (_, index) => `t${index % 6}`)
    const { notice } = read(...names.map((name) => tool({ name })), tool({ name: '' }))
    expect(notice).toContain('only the first 200 of 202 tools are stored; "t0" is listed more than once')
    expect(notice).toContain('and 2 more')
  })

  it('says that a name differs from an earlier one only by a space', () => {
    expect(read(tool({ name: ' a' }), tool({ name: 'a' })).notice).toContain(
      '"a" is ignored, because only a space distinguishes it from " a"',
    )
  })

  it('counts the tools without a usable name', () => {
    expect(read(tool({ name: '' }), 7, tool()).notice).toContain('2 tools have no usable name')
  })

  it('refuses schemas that are nested too deeply or too long, and stores nothing of them', () => {
    const { tools } = read(
      tool({ name: 'deep', inputSchema: nest(20) }),
      tool({ name: 'deeper', inputSchema: nest(5_000) }),
      tool({ name: 'long', inputSchema: { ...schema, title: 'x'.repeat(40_000) } }),
      tool({ name: 'output', outputSchema: nest(20) }),
      tool({ name: 'fine', inputSchema: nest(15) }),
    )
    expect(tools.map(({ problem }) => problem === null)).toEqual([false, false, false, false, true])
    expect(tools[0]?.definition.inputSchema).toEqual({})
    expect(tools[3]?.problem).toBe('the definition of its results is nested too deeply')
  })

  it('removes invisible characters, which still change the fingerprint', () => {
    const secret = Array.from('obey', (letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join(
      '',
    )
    const [plain] = read(tool({ title: 'Echo', description: 'Repeats.' })).tools
    const [hidden] = read(
      tool({ title: `Echo${secret}`, description: `Re\u00ADpeats.\uFE0F\u{E0100}\u3164\u202E${secret}` }),
    ).tools
    expect(hidden?.definition).toEqual(plain?.definition)
    expect(hidden?.fingerprint).not.toBe(plain?.fingerprint)
  })

  it('cuts a long title', () => {
    const [long] = read(tool({ title: 'x'.repeat(100_000) })).tools
    expect(long?.definition.title).toBe('x'.repeat(300))
  })

  it('cuts a long description and still detects a change after the cut', () => {
    const [first] = read(tool({ description: `${'x'.repeat(10_000)}a` })).tools
    const [second] = read(tool({ description: `${'x'.repeat(10_000)}b` })).tools
    expect(first?.definition.description).toHaveLength(4_096)
    expect(first?.definition).toEqual(second?.definition)
    expect(first?.fingerprint).not.toBe(second?.fingerprint)
  })

  it('computes the same fingerprint for any order of keys, and another for any change', () => {
    const same = { properties: {}, type: 'object' }
    const print = (fields: Record<string, unknown>, at = url) =>
      readTools([tool(fields)], at).tools[0]?.fingerprint
    expect(print({ inputSchema: same })).toBe(print({}))
    const prints = [
      print({}),
      print({ title: 'Echo' }),
      print({ description: 'other' }),
      print({ inputSchema: { ...schema, required: ['a'] } }),
      print({ outputSchema: schema }),
      print({ annotations: { readOnlyHint: true } }),
      print({ annotations: { destructiveHint: true } }),
      print({}, 'https://other.example/mcp'),
    ]
    expect(new Set(prints).size).toBe(prints.length)
  })

  it('stores 200 tools and reports the total', () => {
    const { tools, notice } = read(...Array.from({ length: 250 }, (_, index) => tool({ name: `t${index}` })))
    expect(tools).toHaveLength(200)
    expect(notice).toContain('first 200 of 250')
  })

  it('reports no total of a list whose last pages were not read', () => {
    const pages = ['a', 'b'].map((prefix) =>
      readPage(
        Array.from({ length: 150 }, (_, index) => tool({ name: prefix + index })),
        url,
        connectorLimits,
      ),
    )
    const { notice } = joinPages(pages, connectorLimits, false)
    expect(notice).toContain('first 200 of more than 300 tools')
  })

  it.each([
    ['at the root', { ...schema, 'x-mcp-header': 'X-A' }],
    ['in an object', { type: 'object', properties: { a: { type: 'object', 'x-mcp-header': 'A' } } }],
    ['with a space', { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A B' } } }],
    ['empty', { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': '' } } }],
    ['in a list', { type: 'object', properties: { a: { items: { type: 'string', 'x-mcp-header': 'A' } } } }],
    ['on a fraction', { type: 'object', properties: { a: { type: 'number', 'x-mcp-header': 'A' } } }],
    [
      'twice',
      {
        type: 'object',
        properties: {
          a: { type: 'string', 'x-mcp-header': 'A' },
          b: { type: 'string', 'x-mcp-header': 'a' },
        },
      },
    ],
  ])('marks a tool as unusable when it has a header annotation %s', (_, inputSchema) => {
    expect(read(tool({ inputSchema })).tools[0]?.problem).toContain('header')
  })

  it('accepts a header annotation on a simple parameter', () => {
    const inputSchema = {
      type: 'object',
      properties: { a: { type: 'object', properties: { b: { type: 'string', 'x-mcp-header': 'A-B' } } } },
    }
    expect(read(tool({ inputSchema })).tools[0]?.problem).toBeNull()
  })
})
