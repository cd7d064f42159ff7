import { createHash } from 'node:crypto'
import { ExactNumber } from '@yonder/contract/lib/exact-json'

/** The SHA-256 in hex of a JSON value with sorted keys, so that the order of its keys does not matter. */
export function hashJson(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}

/** JSON with sorted keys. Recursive: check a value from outside with `isDeeperThan` first. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sortKeys(value)) ?? 'null'
}

function sortKeys(value: unknown): unknown {
  if (!isContainer(value)) return value
  if (Array.isArray(value)) return value.map(sortKeys)
  const entries = Object.entries(value)
  // There can be a hundred thousand of them, and an object without a prototype takes long to create.
  if (entries.length === 0) return value
  const sorted: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const [key, item] of entries.sort(([a], [b]) => (a < b ? -1 : 1))) {
    sorted[key] = sortKeys(item)
  }
  return sorted
}

/** Nesting levels of the arguments of a tool. Deeper ones can be neither checked nor sent again. */
export const maxArgumentsDepth = 32

/**
 * Whether a value is nested deeper than `maxDepth` levels. An empty object or array does not count as a level. The
 * function does not recurse, because it protects recursive code, and it collects only containers, because a server may
 * send millions of numbers.
 */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  let level = isContainer(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth++) {
    const next: object[] = []
    let hasMore = false
    for (const container of level) {
      const items: readonly unknown[] = Array.isArray(container) ? container : Object.values(container)
      hasMore ||= items.length > 0
      for (const item of items) if (isContainer(item)) next.push(item)
    }
    if (hasMore && depth > maxDepth) return true
    level = next
  }
  return false
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof ExactNumber)
}
