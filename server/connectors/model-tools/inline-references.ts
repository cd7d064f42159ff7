/** Why a schema cannot be told to a model: a piece of a sentence after the tool's name. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

/** Parts of a schema once every reference stands in full; more is no description that a model can use. */
const mostParts = 5_000
/** Characters of all their texts and names. */
const mostCharacters = 64_000
const deepest = 40

/**
 * A schema with its local references written out, since half of the providers take none. A reference to somewhere else
 * is never fetched; one that leads back to itself has no end.
 * @throws SchemaError
 */
export function inlineReferences(
  schema: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  let parts = 0
  let characters = 0
  const count = (text: string): void => {
    characters += text.length
    if (characters > mostCharacters) throw tooLarge()
  }
  const walk = (value: unknown, open: readonly string[], depth: number): unknown => {
    if (typeof value === 'string') count(value)
    if (typeof value !== 'object' || value === null) return value
    if (++parts > mostParts || depth > deepest) throw tooLarge()
    if (Array.isArray(value)) return value.map((item) => walk(item, open, depth + 1))
    const part = value as Readonly<Record<string, unknown>>
    const reference = part['$ref']
    if (typeof reference === 'string') {
      if (open.includes(reference)) throw new SchemaError('its description of parameters contains itself')
      const { $ref: _, ...beside } = part
      const target = walk(resolve(schema, reference), [...open, reference], depth + 1)
      return { ...(target as object), ...(walk(beside, open, depth + 1) as object) }
    }
    return Object.fromEntries(
      Object.entries(part)
        .filter(([key]) => key !== '$defs' && key !== 'definitions')
        .map(([key, item]) => {
          count(key)
          return [key, walk(item, open, depth + 1)]
        }),
    )
  }
  return walk(schema, [], 0) as Readonly<Record<string, unknown>>
}

function tooLarge(): SchemaError {
  return new SchemaError('its description of parameters is too large')
}

function resolve(root: Readonly<Record<string, unknown>>, reference: string): unknown {
  if (!reference.startsWith('#')) throw new SchemaError('its description of parameters lies elsewhere')
  let at: unknown = root
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decode(step)
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) {
      throw new SchemaError('its description of parameters refers to nothing')
    }
    at = (at as Readonly<Record<string, unknown>>)[key]
  }
  return at
}

function decode(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return step
  }
}
