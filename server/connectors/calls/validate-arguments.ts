import { format, Validator, type OutputUnit, type SchemaDraft } from '@cfworker/json-schema'
import type { JsonSchema } from '../model-tools/json-schema.ts'
import { createComparableNumbers } from './comparable-numbers.ts'

// A format describes a value and does not restrict it.
for (const name of Object.keys(format)) Reflect.deleteProperty(format, name)

export interface ArgumentsToValidate {
  readonly schema: JsonSchema
  readonly arguments: Readonly<Record<string, unknown>>
}

/** Problems that are named to the model and the user. */
const maxProblems = 5
const maxProblemChars = 300

/**
 * Compares arguments with the JSON Schema of a tool and returns what does not fit. The schema is interpreted, never
 * compiled to code, and no reference to another document is loaded. A `pattern` can take any time, so a schema with one
 * must be validated in a worker thread, where only the first value that does not fit is described: the errors of many
 * could need more memory than a thread may have, and V8 would end the whole process.
 * @throws when the schema cannot be used
 */
export function validateArguments(
  { schema, arguments: values }: ArgumentsToValidate,
  stopsAtFirst = false,
): readonly string[] {
  const numbers = createComparableNumbers([schema, values])
  const comparable = numbers.replace(schema) as JsonSchema
  const given = withoutOptionalNulls(numbers.replace(values) as ArgumentsToValidate['arguments'], schema)
  const { valid, errors } = new Validator(comparable, draftOf(schema), stopsAtFirst).validate(given)
  // A double cannot be divided like the number that it stands for, so the tool's server checks that.
  const found = numbers.areReplaced ? errors.filter(({ keyword }) => keyword !== 'multipleOf') : errors
  const inner = found.filter(({ keyword }) => !outerKeywords.has(keyword))
  if (valid || (numbers.areReplaced && inner.length === 0)) return []
  const problems = (inner.length === 0 ? found : inner).map((error) => numbers.restore(describe(error)))
  return [...new Set(problems)].slice(0, maxProblems)
}

/** Omits optional parameters that are null: models often send null for them, and many servers accept that. */
function withoutOptionalNulls(
  values: ArgumentsToValidate['arguments'],
  { required }: JsonSchema,
): ArgumentsToValidate['arguments'] {
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => value !== null || names.includes(name)),
  )
}

/** Keywords whose errors only say that there is another error inside. */
const outerKeywords = new Set([
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'allOf',
  'if',
  'dependentSchemas',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
])

function describe({ instanceLocation, keyword, error }: OutputUnit): string {
  const place = instanceLocation.replace(/^#\/?/, '')
  return `${place === '' ? '' : `"${place}": `}${rephrase(keyword, error)}`.slice(0, maxProblemChars)
}

const sentences: Readonly<Record<string, string>> = {
  false: 'This parameter or value is not allowed.',
  anyOf: 'The value fits none of the permitted alternatives.',
  oneOf: 'The value must fit exactly one of the permitted alternatives.',
  not: 'The value is not allowed.',
  // The validator's own sentence calls the maximum a minimum.
  maxProperties: 'The object has too many properties.',
}

/** The first words of the validator's sentences, and the words that replace them. */
const beginnings: readonly (readonly [string, string])[] = [
  ['Instance does not have required property ', 'A required parameter is missing: '],
  ['Instance does not match any of ', 'The value must be one of '],
  ['Instance does not match ', 'The value must be '],
  ['Instance type ', 'The type '],
  ['Instance ', 'The object '],
]

/** Replaces the validator's terms, which neither a user nor a model knows. */
function rephrase(keyword: string, error: string): string {
  const sentence = sentences[keyword]
  if (sentence !== undefined) return sentence
  const [first, replacement] = beginnings.find(([words]) => error.startsWith(words)) ?? ['', '']
  return `${replacement}${error.slice(first.length)}`
}

const drafts: readonly (readonly [string, SchemaDraft])[] = [
  ['draft-04/', '4'],
  // The validator has no draft 6, and draft 7 only adds keywords to it.
  ['draft-06/', '7'],
  ['draft-07/', '7'],
  ['draft/2019-09/', '2019-09'],
  ['draft/2020-12/', '2020-12'],
]

function draftOf({ $schema }: JsonSchema): SchemaDraft {
  if (typeof $schema !== 'string') return '2020-12'
  const known = drafts.find(([part]) => $schema.includes(`json-schema.org/${part}`))
  if (known === undefined) throw new Error(`unknown dialect of JSON Schema: ${$schema}`)
  return known[1]
}
