import { Validator, type OutputUnit, type SchemaDraft } from '@cfworker/json-schema'
import { isObject, type JsonSchema } from '../model-tools/json-schema.ts'

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
 * must be validated in a worker thread (see `inspectSchema`).
 * @throws when the schema cannot be used
 */
export function validateArguments({ schema, arguments: values }: ArgumentsToValidate): readonly string[] {
  const given = withoutOptionalNulls(values, schema)
  const { valid, errors } = new Validator(schema, draftOf(schema), false).validate(given)
  if (valid) return []
  const problems = errors.filter(({ keyword }) => !outerKeywords.has(keyword)).map(describe)
  return [...new Set(problems.length === 0 ? errors.map(describe) : problems)].slice(0, maxProblems)
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

export interface InspectedSchema {
  /** The schema without `format`, which describes a value and does not restrict it. */
  readonly schema: JsonSchema
  /** Subschemas, values and texts in it, for an estimate of the time, see `countSteps`. */
  readonly steps: number
  /** Whether it has a keyword whose time does not follow from the steps of the schema and of the arguments. */
  readonly isCostly: boolean
}

const costlyKeywords = new Set([
  'pattern',
  'patternProperties',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'uniqueItems',
  'unevaluatedProperties',
  'unevaluatedItems',
])

/** Keywords whose value is a subschema or a list of subschemas. */
const schemaKeywords = new Set([
  'items',
  'prefixItems',
  'additionalItems',
  'unevaluatedItems',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
])
/** Keywords whose value has a subschema for each name. */
const namedSchemaKeywords = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
])

/** Copies a schema for `validateArguments`, and estimates whether validating on the main thread is safe. */
export function inspectSchema(schema: JsonSchema): InspectedSchema {
  let steps = 0
  let isCostly = false
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    if (!isObject(value)) return value
    steps += 1
    const kept = Object.entries(value).filter(([keyword]) => keyword !== 'format')
    return Object.fromEntries(kept.map(([keyword, item]) => [keyword, visitKeyword(keyword, item)]))
  }
  const visitKeyword = (keyword: string, item: unknown): unknown => {
    if (costlyKeywords.has(keyword)) isCostly = true
    if (schemaKeywords.has(keyword)) return visit(item)
    if (!namedSchemaKeywords.has(keyword) || !isObject(item)) {
      steps += countSteps(item)
      return item
    }
    return Object.fromEntries(
      Object.entries(item).map(([name, inner]) => {
        steps += name.length / charsPerStep
        return [name, visit(inner)]
      }),
    )
  }
  return { schema: visit(schema) as JsonSchema, steps, isCostly }
}

/** This many characters of a text take about as much time as one value: they are counted, and quoted in errors. */
const charsPerStep = 32

/** Counts a value, all values inside it, and their texts by length. The depth of the value must be limited. */
export function countSteps(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / charsPerStep
  if (typeof value !== 'object' || value === null) return 1
  return Object.entries(value).reduce(
    (steps, [name, inner]) => steps + name.length / charsPerStep + countSteps(inner),
    1,
  )
}
