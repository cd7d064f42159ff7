import { isObject, type JsonObject } from '../../lib/json-object.ts'

export type JsonSchema = JsonObject

/** Explains why a schema cannot be offered to a model. The message continues a sentence about the tool. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

/** Objects and arrays in a schema with all references inlined. A larger schema is of no use to a model. */
const maxParts = 5_000
/** Characters of all strings and keys together. */
const maxChars = 64_000
const maxDepth = 40

/**
 * Inlines the local references of a schema, since many providers accept none. External references are never fetched;
 * they and circular references are errors.
 * @throws SchemaError
 */
export function inlineReferences(schema: JsonSchema): JsonSchema {
  let parts = 0
  let characters = 0
  const count = (text: string): void => {
    characters += text.length
    if (characters > maxChars) throw tooLarge()
  }
  /** `enclosing` lists the references that lead to `value`; one that occurs again inside itself is circular. */
  const walk = (value: unknown, enclosing: readonly string[], depth: number): unknown => {
    if (typeof value === 'string') count(value)
    if (!Array.isArray(value) && !isObject(value)) return value
    if (++parts > maxParts || depth > maxDepth) throw tooLarge()
    if (Array.isArray(value)) return value.map((item) => walk(item, enclosing, depth + 1))
    const reference = value['$ref']
    if (typeof reference === 'string') {
      if (enclosing.includes(reference))
        throw new SchemaError('the definition of its parameters contains itself')
      const { $ref: _, ...siblings } = value
      const target = walk(resolve(schema, reference), [...enclosing, reference], depth + 1)
      return { ...(target as object), ...(walk(siblings, enclosing, depth + 1) as object) }
    }
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => key !== '$defs' && key !== 'definitions')
        .map(([key, item]) => {
          count(key)
          return [key, walk(item, enclosing, depth + 1)]
        }),
    )
  }
  return walk(schema, [], 0) as JsonSchema
}

function tooLarge(): SchemaError {
  return new SchemaError('the definition of its parameters is too large')
}

function resolve(root: JsonSchema, reference: string): unknown {
  if (!reference.startsWith('#'))
    throw new SchemaError('the definition of its parameters refers to another document')
  let current: unknown = root
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decode(step)
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, key)) {
      throw new SchemaError('the definition of its parameters contains a broken reference')
    }
    current = (current as JsonSchema)[key]
  }
  return current
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return step
  }
}
