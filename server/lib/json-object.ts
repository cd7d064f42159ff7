export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a parsed JSON value is an object, and not null or a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns a list as it is, and a single value as a list of one; undefined for nothing. Many servers omit the brackets. */
export function toList(value: unknown): readonly unknown[] | undefined {
  if (value === undefined || value === null) return undefined
  return Array.isArray(value) ? value : [value]
}

/**
 * Removes properties that are null, at any depth: many serializers write an absent property so, and the protocols have no
 * meaning for it. Not for data in which null has one, such as the arguments of a tool, its result and its schema.
 */
export function withoutNulls<Value>(value: Value, depth = maxNullDepth): Value {
  if (depth === 0 || typeof value !== 'object' || value === null) return value
  const clean = (item: unknown) => withoutNulls(item, depth - 1)
  if (Array.isArray(value)) return value.map(clean) as Value
  const kept = Object.entries(value).filter(([, item]) => item !== null)
  return Object.fromEntries(kept.map(([key, item]) => [key, clean(item)])) as Value
}

/** Deeper values stay as they are, because a recursion without a limit could overflow the stack. */
const maxNullDepth = 32
