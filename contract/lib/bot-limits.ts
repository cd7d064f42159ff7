// This module does not import zod, which keeps zod out of the bundle of the browser.

/** Characters of a bot's instructions. */
export const maxInstructionsChars = 50_000

/** Characters of the name of a model. */
export const maxModelChars = 300

/** The smallest and the largest value of each number of a bot. */
export const botLimits = {
  max_tokens: { min: 1, max: 10_000_000 },
  temperature: { min: 0, max: 2 },
  top_p: { min: 0, max: 1 },
  context_window: { min: 1_000, max: 100_000_000 },
} as const

export interface Range {
  readonly min: number
  readonly max: number
}

/** Returns the part of an error message that follows the name of a field, for a number out of range. */
export function describeRange({ min, max }: Range, kind: 'a number' | 'a whole number'): string {
  return `must be ${kind} from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}`
}

/** How many models of a provider are listed at most. */
export const maxListedModels = 1_000
