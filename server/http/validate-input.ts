import type { FastifySchemaCompiler } from 'fastify'
import { z } from 'zod'
import type { $ZodCheck, $ZodCheckMaxLengthDef, $ZodIssue, $ZodType, $ZodTypes } from 'zod/v4/core'
import { AppError } from '../lib/app-error.ts'
import { cutText } from '../lib/text.ts'

/** Problems that an error names. The others are counted, or, where the check stopped, not known. */
const maxProblems = 5
/** Characters of one problem, which may have a name from the input in it. */
const maxProblemChars = 300

/** Validates the input of a route by its zod schema. An error names the first problems. */
export const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema }) => {
  return (input: unknown) => {
    // Zod collects all problems of a value, and each costs far more than a correct item.
    const early = isLarge(input) ? findProblems(schema, input, []) : []
    if (early.length > 0) return { error: describeProblems(early, true) }
    const { success, data, error } = schema.safeParse(input)
    return success ? { value: data } : { error: describeProblems(error.issues, false) }
  }
}

type Problem = Pick<$ZodIssue, 'path' | 'message'>

function describeProblems(problems: readonly Problem[], isPartial: boolean): AppError {
  const texts = [...new Set(problems.map(describeProblem))]
  const more = texts.length - maxProblems
  const rest = more <= 0 ? [] : [isPartial ? 'and more' : `and ${more.toLocaleString('en')} more`]
  return new AppError('invalid_request', [...texts.slice(0, maxProblems), ...rest].join('; '))
}

function describeProblem({ path, message }: Problem): string {
  const field = cutText(path.join('.'), maxProblemChars)
  return cutText(field === '' ? message : `${field}: ${message}`, 2 * maxProblemChars)
}

/** Names and values above which an input is large. */
const largeSize = 500

function isLarge(input: unknown): boolean {
  let left = largeSize
  const count = (value: unknown): boolean => {
    if (typeof value !== 'object' || value === null) return left-- <= 0
    for (const key in value) {
      if (left-- <= 0 || count((value as Record<string, unknown>)[key])) return true
    }
    return false
  }
  return count(input)
}

/**
 * Returns the first problems of a large input, one more than an error names, and checks no further. Lists and objects
 * are checked item by item, and everything in them by zod. The checks of a whole list or object, except the length of
 * a list, are left to zod.
 */
function findProblems(
  schema: $ZodType,
  value: unknown,
  path: readonly PropertyKey[],
  max = maxProblems + 1,
): Problem[] {
  const {
    _zod: { def },
  } = schema as $ZodTypes
  if (def.type === 'unknown') return []
  if (!isLarge(value)) return check(schema, value, path, max)
  const problems: Problem[] = []
  const checkEach = (items: Iterable<readonly [$ZodType, unknown, PropertyKey]>): Problem[] => {
    for (const [of, item, key] of items) {
      problems.push(...findProblems(of, item, [...path, key], max - problems.length))
      if (problems.length >= max) break
    }
    return problems
  }
  if (def.type === 'optional' || def.type === 'nullable' || def.type === 'nonoptional') {
    if (value !== undefined && value !== null) return findProblems(def.innerType, value, path, max)
  } else if (def.type === 'array' && Array.isArray(value)) {
    const { element } = def
    const maximum = maxLengthOf(def.checks)
    // Of a list that is too long, only this is said. Zod would check the items first.
    if (value.length > maximum) return check(z.array(z.unknown()).max(maximum), value, path, max)
    return checkEach(value.map((item, index) => [element, item, index] as const))
  } else if (def.type === 'object' && isRecord(value)) {
    return checkEach(Object.entries(def.shape).map(([key, of]) => [of, value[key], key] as const))
  } else if (def.type === 'record' && isRecord(value)) {
    const { keyType, valueType } = def
    const items = Object.entries(value).flatMap(([key, item]) => [
      [keyType, key, key] as const,
      [valueType, item, key] as const,
    ])
    return checkEach(items)
  } else if (def.type === 'union') {
    const [option, ...others] = def.options.filter(({ _zod }) => _zod.def.type === formOf(value))
    if (option !== undefined && others.length === 0) return findProblems(option, value, path, max)
    const isValid = def.options.some((option) => findProblems(option, value, path, 1).length === 0)
    return isValid ? [] : [{ path: [...path], message: 'Invalid input' }]
  }
  return check(schema, value, path, max)
}

const formOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value)

function check(schema: $ZodType, value: unknown, path: readonly PropertyKey[], max: number): Problem[] {
  const { error } = z.safeParse(schema, value)
  return (error?.issues ?? [])
    .slice(0, max)
    .map((issue) => ({ path: [...path, ...issue.path], message: issue.message }))
}

function maxLengthOf(checks: readonly $ZodCheck<never>[] = []): number {
  const lengths = checks.map(
    ({ _zod: { def } }) => (def as Partial<$ZodCheckMaxLengthDef>).maximum ?? Infinity,
  )
  return Math.min(Infinity, ...lengths)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
