import { ExactNumber, parseJsonExactly, readJson } from '@yonder/contract/lib/exact-json'

export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a parsed JSON value is an object, and not null, a list or an exact number. */
export function isObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  )
}

/** Returns undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Like `parseJson`, with numbers as they were written (`ExactNumber`). */
export function parseJsonAsWritten(text: string): unknown {
  try {
    return parseJsonExactly(text)
  } catch {
    return undefined
  }
}

/** Like `parseJson`, with the objects under this key as their text. */
export function parseWithSource(text: string, sourceKey: string): unknown {
  try {
    return readJson(text, { sourceKey })
  } catch {
    return undefined
  }
}

/** Returns a value as a reader of its JSON gets it that knows only ordinary numbers. */
export function toOrdinaryNumbers<Value>(value: Value): Value {
  const text = JSON.stringify(value)
  return JSON.parse(text) as Value
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
  if (depth === 0 || typeof value !== 'object' || value === null || value instanceof ExactNumber) return value
  const clean = (item: unknown) => withoutNulls(item, depth - 1)
  if (Array.isArray(value)) return value.map(clean) as Value
  const kept = Object.entries(value).filter(([, item]) => item !== null)
  return Object.fromEntries(kept.map(([key, item]) => [key, clean(item)])) as Value
}

/** Deeper values stay as they are, because a recursion without a limit could overflow the stack. */
const maxNullDepth = 32
