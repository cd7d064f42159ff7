import { randomUUID } from 'node:crypto'
import { normalizeText } from '../lib/text.ts'

/** A new id, for a call whose upstream sent none. */
export function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`
}

/** The arguments as a JSON object's text that every database can store; `undefined` when they are not a JSON object. */
export function readArguments(text: string): string | undefined {
  if (text.trim() === '') return '{}'
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    return needsCleaning.test(text) ? JSON.stringify(cleanJson(value)) : text
  } catch {
    // Not JSON, or nested too deeply to be walked.
    return undefined
  }
}

const needsCleaning = /[\0\uD800-\uDFFF]|\\u(?:0000|[dD][89a-fA-F])/

function cleanJson(value: unknown): unknown {
  if (typeof value === 'string') return normalizeText(value)
  if (Array.isArray(value)) return value.map(cleanJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [normalizeText(key), cleanJson(inner)]),
  )
}
