import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTestConnectors } from '../../testing/mcp/open-test-connectors.ts'
import { startEverything, startFilesystem, startMemory } from '../../testing/mcp/start-mcp-process.ts'
import { parseDefinition } from '../tools/tool-store.ts'
import { adaptSchema } from './adapt-schema.ts'
import type { JsonSchema } from './json-schema.ts'

const apiTypes = ['openai', 'anthropic', 'google'] as const
const withProperty = (property: unknown): JsonSchema => ({ type: 'object', properties: { a: property } })

function adapt(schema: JsonSchema, apiType: (typeof apiTypes)[number] = 'openai'): JsonSchema {
  const adapted = adaptSchema(schema, apiType)
  if ('problem' in adapted) throw new Error(adapted.problem)
  return adapted.schema
}

const propertyFor = (property: unknown, apiType: (typeof apiTypes)[number] = 'openai') =>
  (adapt(withProperty(property), apiType)['properties'] as Record<string, unknown>)['a']

describe('adaptSchema for every provider', () => {
  it.each(apiTypes)('keeps the type of a schema without parameters (%s)', (apiType) => {
    expect(adapt({ type: 'object' }, apiType)['type']).toBe('object')
  })

  it.each<[string, unknown, unknown]>([
    ['adds a missing type', { description: 'x' }, { type: 'string', description: 'x' }],
    ['derives the type from an enum', { enum: [1, 2] }, { type: 'integer', enum: [1, 2] }],
    [
      'derives the type from items',
      { items: { type: 'number' } },
      { type: 'array', items: { type: 'number' } },
    ],
    ['adds missing items to an array', { type: 'array' }, { type: 'array', items: { type: 'string' } }],
    ['removes a default of null', { type: 'string', default: null }, { type: 'string' }],
    [
      'removes keywords that are useless to a model',
      { type: 'string', $id: 'x', $comment: 'y', 'x-mcp-header': 'A' },
      { type: 'string' },
    ],
    ['converts a schema that allows every value to a string', true, { type: 'string' }],
    [
      'removes required names without a property',
      { type: 'object', properties: { b: { type: 'string' } }, required: ['b', 'gone'] },
      { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
    ],
  ])('%s', (_, property, expected) => {
    expect(propertyFor(property)).toEqual(expected)
  })

  it('resolves references', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/id', description: 'own' } },
      $defs: { id: { type: 'string', maxLength: 5 } },
    }
    expect(adapt(schema)).toEqual({
      type: 'object',
      properties: { a: { type: 'string', maxLength: 5, description: 'own' } },
    })
  })

  it.each<[string, JsonSchema, string]>([
    ['is circular', { type: 'object', properties: { a: { $ref: '#' } } }, 'contains itself'],
    [
      'refers to another document',
      withProperty({ $ref: 'https://example.com/schema' }),
      'refers to another document',
    ],
    ['has no target', withProperty({ $ref: '#/$defs/none' }), 'broken reference'],
  ])('returns the reason when a reference %s', (_, schema, reason) => {
    for (const apiType of apiTypes)
      expect(adaptSchema(schema, apiType)).toEqual({ problem: expect.stringContaining(reason) as string })
  })

  it('ends with an error when references multiply', () => {
    const $defs: Record<string, unknown> = { d0: { type: 'string' } }
    for (let level = 1; level <= 20; level++) {
      const inner = { $ref: `#/$defs/d${level - 1}` }
      $defs[`d${level}`] = { type: 'object', properties: { a: inner, b: inner, c: inner } }
    }
    expect(adaptSchema({ ...withProperty({ $ref: '#/$defs/d20' }), $defs }, 'openai')).toHaveProperty(
      'problem',
    )
  })

  it('ends with an error when referenced schemas are long', () => {
    const long = { type: 'string', description: 'x'.repeat(20_000) }
    const referring = (count: number) => ({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`p${index}`, { $ref: '#/$defs/long' }]),
      ),
      $defs: { long },
    })
    expect(JSON.stringify(referring(300)).length).toBeLessThan(32_000)
    expect(adaptSchema(referring(300), 'openai')).toEqual({
      problem: 'the definition of its parameters is too large',
    })
    expect(adaptSchema(referring(2), 'openai')).toHaveProperty('schema')
  })

  it('removes alternatives at the root', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      anyOf: [{ required: ['a'] }],
      not: {},
    }
    expect(adapt(schema)).toEqual({ type: 'object', properties: { a: { type: 'string' } } })
  })

  it('omits a parameter whose name is invalid, and the tool when it is required', () => {
    const schema = { type: 'object', properties: { 'naïve name': { type: 'string' }, b: { type: 'string' } } }
    expect(adapt(schema)['properties']).toEqual({ b: { type: 'string' } })
    expect(adaptSchema({ ...schema, required: ['naïve name'] }, 'anthropic')).toHaveProperty('problem')
  })

  it('does not let a schema change a prototype', () => {
    const schema = JSON.parse(
      '{"type":"object","__proto__":{"evil":1},"properties":{"__proto__":{"type":"string"}}}',
    ) as JsonSchema
    for (const apiType of apiTypes) adaptSchema(schema, apiType)
    expect({}).not.toHaveProperty('evil')
  })
})

describe('adaptSchema for Google', () => {
  it.each<[string, unknown, unknown]>([
    ['a type or null', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    ['several types', { type: ['string', 'number'] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    [
      'an alternative of null',
      { anyOf: [{ type: 'integer' }, { type: 'null' }] },
      { type: 'integer', nullable: true },
    ],
    [
      'oneOf',
      { oneOf: [{ type: 'string' }, { type: 'number' }] },
      { anyOf: [{ type: 'string' }, { type: 'number' }] },
    ],
    ['a fixed text', { const: 'x' }, { type: 'string', enum: ['x'] }],
    ['fixed numbers', { type: 'integer', enum: [1, 2] }, { type: 'integer', description: 'One of: 1, 2.' }],
    [
      'unsupported bounds',
      { type: 'number', exclusiveMinimum: 0, minimum: 1 },
      { type: 'number', minimum: 1 },
    ],
    ['an unsupported format', { type: 'string', format: 'email' }, { type: 'string' }],
    [
      'additional properties',
      { type: 'object', properties: {}, additionalProperties: false, required: ['x'] },
      { type: 'object' },
    ],
    [
      'allOf',
      {
        allOf: [
          { type: 'object', properties: { b: { type: 'string' } } },
          { properties: { c: { type: 'number' } }, required: ['c'] },
        ],
      },
      { type: 'object', properties: { b: { type: 'string' }, c: { type: 'number' } }, required: ['c'] },
    ],
  ])('converts %s to supported keywords', (_, property, expected) => {
    expect(propertyFor(property, 'google')).toEqual(expected)
  })
})

/** Lists the keywords that Gemini does not support, which make it refuse a whole request. */
function listUnsupported(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  if (Array.isArray(schema))
    return schema.flatMap((item, index) => listUnsupported(item, `${path}[${index}]`))
  const supported =
    /^(type|format|description|nullable|enum|items|properties|required|minItems|maxItems|minimum|maximum|minLength|maxLength|anyOf)$/
  return Object.entries(schema).flatMap(([key, value]) => {
    if (!supported.test(key)) return [`${path}.${key}`]
    if (key === 'type' && typeof value !== 'string') return [`${path}.type`]
    if (key !== 'properties') return listUnsupported(value, `${path}.${key}`)
    return Object.entries(value as object).flatMap(([name, property]) =>
      listUnsupported(property, `${path}.${name}`),
    )
  })
}

describe('the schemas of real servers', () => {
  it('are accepted by every provider', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'yonder-schemas-'))
    const connectors = await openTestConnectors()
    const servers = await Promise.all([
      startEverything(),
      startMemory(join(folder, 'm.jsonl')),
      startFilesystem(folder),
    ])
    await connectors.addUser('ada')
    for (const [index, { url }] of servers.entries())
      await connectors.connect('ada', { name: `s${index}`, url })
    const rows = await connectors.database.db.selectFrom('connector_tools').select('definition').execute()
    expect(rows.length).toBeGreaterThan(30)
    for (const { definition } of rows) {
      const { inputSchema } = parseDefinition(definition)
      for (const apiType of apiTypes) expect(adaptSchema(inputSchema, apiType)).toHaveProperty('schema')
      expect(listUnsupported(adapt(inputSchema, 'google'))).toEqual([])
    }
    await Promise.all(servers.map((server) => server.close()))
    await connectors.close()
    rmSync(folder, { recursive: true, force: true })
  })
})
