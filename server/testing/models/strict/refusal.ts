import type { RuleName } from '../../../models/rules.ts'

/** Why a provider refuses a request, in its own words where they are known. */
export interface Refusal {
  readonly rule: RuleName
  readonly message: string
  readonly status?: number
}

/** Returns the refusal of a body that breaks a rule; undefined when it is accepted. */
export type Check<Body> = (body: Body) => Refusal | undefined

export function refuse(rule: RuleName, message: string, status = 400): Refusal {
  return { rule, message, status }
}

/** The first refusal of an item. */
export function firstOf<Item>(
  items: readonly Item[],
  check: (item: Item, index: number) => Refusal | undefined,
): Refusal | undefined {
  for (const [index, item] of items.entries()) {
    const refusal = check(item, index)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

export function firstRepeated(values: readonly string[]): string | undefined {
  const seen = new Set<string>()
  return values.find((value) => seen.size === seen.add(value).size)
}

export function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
