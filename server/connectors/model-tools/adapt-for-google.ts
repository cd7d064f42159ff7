import { isObject } from '../../lib/json-object.ts'
import type { JsonSchema } from './json-schema.ts'

/** The JSON Schema keywords that Gemini supports. */
const supported = new Set([
  'type',
  'format',
  'description',
  'nullable',
  'enum',
  'items',
  'properties',
  'required',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'anyOf',
])
const formats = new Set(['enum', 'date-time', 'float', 'double', 'int32', 'int64'])

/**
 * Converts a cleaned schema to the keywords that Gemini supports. `anyOf` replaces other lists of alternatives. Only
 * fixed values of type string stay an `enum`; others are listed in the description.
 */
export function adaptForGoogle(schema: JsonSchema): JsonSchema {
  const { allOf, oneOf, ...own } = schema
  const merged = Array.isArray(allOf) ? mergeAll(own, allOf as readonly JsonSchema[]) : own
  const alternatives = merged['anyOf'] ?? oneOf
  const values = listValues(merged)
  const typed = adaptType(merged, alternatives as readonly JsonSchema[] | undefined)
  const result: Record<string, unknown> = {}
  for (const [key, value] of Object.entries({ ...merged, ...typed })) {
    if (supported.has(key) && value !== undefined) result[key] = value
  }
  if (!formats.has(String(result['format']))) delete result['format']
  adaptValues(result, values)
  if (isObject(result['items'])) result['items'] = adaptForGoogle(result['items'])
  if (isObject(result['properties'])) {
    const properties = Object.entries(result['properties']).map(([name, property]) => [
      name,
      adaptForGoogle(property as JsonSchema),
    ])
    if (properties.length > 0) result['properties'] = Object.fromEntries(properties)
    else delete result['properties']
  }
  if (result['properties'] === undefined) delete result['required']
  return result
}

/** Converts lists of types to alternatives, and `null` to `nullable`. Merges a single alternative into the schema. */
function adaptType(
  schema: JsonSchema,
  alternatives: readonly JsonSchema[] | undefined,
): { type?: unknown; anyOf?: unknown; nullable?: boolean } {
  const { type } = schema
  const types = Array.isArray(type) ? (type as readonly unknown[]) : undefined
  const options = types?.map((name): JsonSchema => ({ type: name })) ?? alternatives
  if (options === undefined) return type === 'null' ? { type: 'string', nullable: true } : {}
  const nonNull = options.filter((option) => option['type'] !== 'null')
  const nullable = nonNull.length < options.length ? { nullable: true } : {}
  const [only] = nonNull
  if (only === undefined) return { type: 'string', anyOf: undefined, ...nullable }
  if (nonNull.length > 1) return { type: undefined, anyOf: nonNull.map(adaptForGoogle), ...nullable }
  return { ...adaptForGoogle(only), anyOf: undefined, ...nullable }
}

function listValues(schema: JsonSchema): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']]
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined
}

function adaptValues(result: Record<string, unknown>, values: readonly unknown[] | undefined): void {
  delete result['enum']
  if (values === undefined) return
  const texts = values.filter((value) => typeof value === 'string' && value !== '')
  if (result['type'] === 'string' && texts.length > 0) {
    result['enum'] = texts
    return
  }
  const list = `One of: ${values.map((value) => JSON.stringify(value)).join(', ')}.`
  result['description'] = [result['description'], list].filter(Boolean).join(' ')
}

/** Merges the parts of `allOf` into one schema, with the properties and required names of all parts. */
function mergeAll(own: JsonSchema, parts: readonly JsonSchema[]): JsonSchema {
  const all = [
    own,
    ...parts.map((part) =>
      Array.isArray(part['allOf']) ? mergeAll(part, part['allOf'] as JsonSchema[]) : part,
    ),
  ]
  const properties = Object.assign({}, ...all.map((part) => part['properties'] ?? {})) as JsonSchema
  const required = [...new Set(all.flatMap((part) => (part['required'] as string[] | undefined) ?? []))]
  const { allOf: _, ...merged } = Object.assign({}, ...all) as Record<string, unknown>
  if (Object.keys(properties).length > 0) Object.assign(merged, { type: 'object', properties })
  if (required.length > 0) merged['required'] = required
  return merged
}
