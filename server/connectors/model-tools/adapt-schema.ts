import type { ApiType } from '@yonder/contract/bot'
import { adaptForGoogle } from './adapt-for-google.ts'
import { inlineReferences, isObject, SchemaError } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'

export type AdaptedSchema = { readonly schema: JsonSchema } | { readonly problem: string }

/** Names of parameters that providers take. */
const allowedName = /^[a-zA-Z0-9_.-]{1,64}$/

/** Says nothing to a model, or is refused by providers. */
const dropped = new Set([
  '__proto__',
  '$schema',
  '$id',
  '$comment',
  '$anchor',
  '$defs',
  'definitions',
  'examples',
  'x-mcp-header',
])
const combinators = ['oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else', 'enum', 'const']

/**
 * A tool's parameters as a provider's models can be told of them. The server still gets and checks the original, so
 * what is lost here is only advice. What cannot be told at all is a problem of this tool alone.
 */
export function adaptSchema(schema: JsonSchema, apiType: ApiType): AdaptedSchema {
  try {
    const plain = cleanObject(inlineReferences(schema), 0)
    // No provider takes alternatives at the root.
    for (const key of combinators) delete plain[key]
    const rooted = { ...plain, type: 'object', properties: plain['properties'] ?? {} }
    return { schema: apiType === 'google' ? adaptForGoogle(rooted) : rooted }
  } catch (error) {
    if (error instanceof SchemaError) return { problem: error.message }
    throw error
  }
}

function clean(value: unknown, depth: number): Record<string, unknown> {
  // `true` allows everything.
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { type: 'string' }
  return cleanObject(value as JsonSchema, depth)
}

function cleanObject(schema: JsonSchema, depth: number): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (dropped.has(key) || key.startsWith('x-') || (key === 'default' && value === null)) continue
    result[key] = cleanKeyword(key, value, depth)
  }
  if (isObject(schema['properties'])) {
    const { properties, required } = cleanProperties(
      schema['properties'],
      readNames(schema['required']),
      depth,
    )
    result['properties'] = properties
    if (required.length > 0) result['required'] = required
    else delete result['required']
  } else {
    delete result['properties']
    delete result['required']
  }
  giveType(result)
  if (result['type'] === 'array' && result['items'] === undefined) result['items'] = { type: 'string' }
  return result
}

function cleanKeyword(key: string, value: unknown, depth: number): unknown {
  switch (key) {
    case 'items':
      return Array.isArray(value)
        ? { anyOf: value.map((item) => clean(item, depth + 1)) }
        : clean(value, depth + 1)
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return Array.isArray(value) ? value.map((item) => clean(item, depth + 1)) : []
    case 'additionalProperties':
      return typeof value === 'boolean' ? value : clean(value, depth + 1)
    default:
      return value
  }
}

/** A parameter whose name cannot be told is left out; when the tool insists on it, the tool is. */
function cleanProperties(
  properties: JsonSchema,
  required: readonly string[],
  depth: number,
): { readonly properties: Record<string, unknown>; readonly required: readonly string[] } {
  const known: [string, unknown][] = []
  for (const [name, property] of Object.entries(properties)) {
    if (property === false) continue
    if (allowedName.test(name)) known.push([name, clean(property, depth + 1)])
    else if (required.includes(name))
      throw new SchemaError('it needs a parameter whose name the model cannot be told')
  }
  const names = new Set(known.map(([name]) => name))
  return { properties: Object.fromEntries(known), required: required.filter((name) => names.has(name)) }
}

function giveType(schema: Record<string, unknown>): void {
  if (schema['type'] !== undefined || ['anyOf', 'oneOf', 'allOf'].some((key) => schema[key] !== undefined))
    return
  if (schema['properties'] !== undefined) schema['type'] = 'object'
  else if (schema['items'] !== undefined) schema['type'] = 'array'
  else if ('const' in schema) schema['type'] = typeOf(schema['const'])
  else if (Array.isArray(schema['enum'])) schema['type'] = typeOf(schema['enum'][0])
  else schema['type'] = 'string'
}

function typeOf(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value === 'boolean' ? 'boolean' : 'string'
}

function readNames(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : []
}
