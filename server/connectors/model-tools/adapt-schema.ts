import type { ApiType } from '@yonder/contract/bot'
import { ExactNumber, isWholeNumber } from '@yonder/contract/lib/exact-json'
import { isObject } from '../../lib/json-object.ts'
import { adaptForGoogle } from './adapt-for-google.ts'
import { inlineReferences, SchemaError, type JsonSchema } from './json-schema.ts'

export type AdaptedSchema = { readonly schema: JsonSchema } | { readonly problem: string }

/** Parameter names that providers accept. */
const allowedName = /^[a-zA-Z0-9_.-]{1,64}$/

/** Keywords that are useless to a model, or that providers refuse. */
const droppedKeywords = new Set([
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
 * Adapts a tool's schema of parameters to a provider. Calls are still checked against the original schema, so a
 * simplified schema is only less helpful to the model. When a schema cannot be adapted, returns the problem, and
 * only this tool is not offered.
 */
export function adaptSchema(schema: JsonSchema, apiType: ApiType): AdaptedSchema {
  try {
    const plain = cleanObject(inlineReferences(schema), 0)
    // Not every provider accepts alternatives at the root.
    for (const key of combinators) delete plain[key]
    const rooted = { ...plain, type: 'object', properties: plain['properties'] ?? {} }
    return { schema: apiType === 'google' ? adaptForGoogle(rooted) : rooted }
  } catch (error) {
    if (error instanceof SchemaError) return { problem: error.message }
    throw error
  }
}

function clean(value: unknown, depth: number): Record<string, unknown> {
  // A schema can also be `true`, which allows every value. Like a schema without a type, it becomes a string.
  return isObject(value) ? cleanObject(value, depth) : { type: 'string' }
}

function cleanObject(schema: JsonSchema, depth: number): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    if (droppedKeywords.has(key) || key.startsWith('x-') || (key === 'default' && value === null)) continue
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
  addMissingType(result)
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

/**
 * Omits parameters whose names providers refuse, or that accept no value.
 * @throws SchemaError when a parameter with such a name is required
 */
function cleanProperties(
  properties: JsonSchema,
  required: readonly string[],
  depth: number,
): { readonly properties: Record<string, unknown>; readonly required: readonly string[] } {
  const accepted: [string, unknown][] = []
  for (const [name, property] of Object.entries(properties)) {
    if (property === false) continue
    if (allowedName.test(name)) accepted.push([name, clean(property, depth + 1)])
    else if (required.includes(name))
      throw new SchemaError('it requires a parameter with a name that providers do not accept')
  }
  const names = new Set(accepted.map(([name]) => name))
  return { properties: Object.fromEntries(accepted), required: required.filter((name) => names.has(name)) }
}

function addMissingType(schema: Record<string, unknown>): void {
  if (schema['type'] !== undefined || ['anyOf', 'oneOf', 'allOf'].some((key) => schema[key] !== undefined))
    return
  if (schema['properties'] !== undefined) schema['type'] = 'object'
  else if (schema['items'] !== undefined) schema['type'] = 'array'
  else if ('const' in schema) schema['type'] = typeOf(schema['const'])
  else if (Array.isArray(schema['enum'])) schema['type'] = typeOf(schema['enum'][0])
  else schema['type'] = 'string'
}

function typeOf(value: unknown): string {
  if (typeof value === 'number' || value instanceof ExactNumber)
    return isWholeNumber(String(value)) ? 'integer' : 'number'
  return typeof value === 'boolean' ? 'boolean' : 'string'
}

function readNames(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : []
}
