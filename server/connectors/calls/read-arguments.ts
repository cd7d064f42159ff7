import { AppError } from '../../lib/app-error.ts'
import { isDeeperThan } from '../../lib/canonical-json.ts'

/** Nesting levels of the arguments of a call. */
const maxDepth = 32

/**
 * Returns the arguments of a call, given as a JSON object or its text. Without arguments, returns an empty object.
 * @throws AppError `invalid_request`
 */
export function readArguments(given: unknown): Readonly<Record<string, unknown>> {
  const value: unknown = typeof given === 'string' ? parse(given) : (given ?? {})
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError('invalid_request', 'The arguments of a tool must be a JSON object.')
  }
  if (isDeeperThan(value, maxDepth)) {
    throw new AppError('invalid_request', `The arguments are nested deeper than ${maxDepth} levels.`)
  }
  return value as Readonly<Record<string, unknown>>
}

function parse(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new AppError('invalid_request', 'The arguments of the tool are not JSON.', { cause: error })
  }
}
