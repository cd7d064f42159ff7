import { createHash } from 'node:crypto'
import { z } from 'zod'
import { isObject, type JsonObject } from '../../lib/json-object.ts'
import { normalizeText } from '../../lib/text.ts'

/*
 * Types for fields of other products, which no contract fixes: a field that is missing or strange gets a plain value,
 * and never makes its chat unreadable.
 */

/** Unlike with `catch`, a missing value costs no error, of which a chat of 100,000 messages would make a million. */
const loose = <Value>(read: (value: unknown) => Value) => z.unknown().optional().transform(read)

/** A text; empty when there is none. */
export const looseText = loose((value) => (typeof value === 'string' ? normalizeText(value) : ''))

/** A text that is not empty, or null. */
export const looseName = loose((value) =>
  typeof value === 'string' ? normalizeText(value).trim() || null : null,
)

export const looseList = loose((value): readonly unknown[] => (Array.isArray(value) ? value : []))

export const looseObject = loose((value): JsonObject => (isObject(value) ? value : {}))

export const looseFlag = loose((value) => value === true)

/** A list, or null. */
export const looseMessages = loose((value): readonly unknown[] | null =>
  Array.isArray(value) ? value : null,
)

export const looseCount = loose((value) =>
  typeof value === 'number' && Number.isSafeInteger(Math.round(value)) ? Math.max(0, Math.round(value)) : 0,
)

/** A moment in milliseconds since 1970, or null. */
export const looseTime = loose((value) =>
  typeof value === 'number' || typeof value === 'string' ? readTime(value) : null,
)

/** An id, or null. */
export const looseId = loose((value) =>
  typeof value === 'number' || typeof value === 'string' ? readId(value) : null,
)

/** Before this, no chat was written: such dates stand for a missing one. 1971, in milliseconds since 1970. */
const earliest = 31_536_000_000
/** 2100. */
const latest = 4_102_444_800_000
/** A lower number is one of seconds. */
const minMilliseconds = 100_000_000_000

function readTime(value: number | string): number | null {
  const time = typeof value === 'number' ? value : Date.parse(value)
  const milliseconds = Math.round(
    Math.abs(time) < minMilliseconds && typeof value === 'number' ? time * 1000 : time,
  )
  return milliseconds >= earliest && milliseconds < latest ? milliseconds : null
}

/** A longer id is replaced by its hash, because an index of the database limits what it can contain. */
const maxIdChars = 200

function readId(value: string | number): string | null {
  const id = normalizeText(String(value)).trim()
  if (id === '') return null
  return id.length <= maxIdChars ? id : hashOf(id)
}

/** The id of something without one: the same for the same content, so that a second import finds it. */
export function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32)
}
