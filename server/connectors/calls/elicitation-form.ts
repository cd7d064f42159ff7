import {
  textFormats,
  type Elicitation,
  type ElicitationField,
  type ElicitationAnswer,
} from '@yonder/contract/elicitation'
import {
  compareNumbers,
  ExactNumber,
  isHeldByDouble,
  isJsonNumber,
  isWholeNumber,
} from '@yonder/contract/lib/exact-json'
import { isObject, type JsonObject } from '../../lib/json-object.ts'
import { cleanText } from '../../lib/text.ts'
import { asksForSecret } from './secret-words.ts'

const maxMessageChars = 2_000
const maxTextChars = 300
const maxNameChars = 100
/** Characters of a default value, and of an answer. */
const maxAnswerChars = 10_000
/** Characters of a number. */
const maxNumberChars = 300
const maxOptions = 100
/** Characters of all texts of a form: each is searched for the words of secrets. */
const maxFormChars = 20_000
/** Consent pages have long addresses. */
const maxAddressChars = 8_000

/**
 * Parses an elicitation: a page to open, or a form of simple fields. Returns undefined for a page whose address is not
 * accepted, for a form that seems to ask for a secret in any of its texts, for too many fields or too much text, and for
 * what a form cannot show. `isRepeated` says that the call is made again after the answer.
 */
export function readElicitation(
  params: unknown,
  maxFields: number,
  isRepeated = false,
): Elicitation | undefined {
  if (!isObject(params)) return undefined
  if (params['mode'] === 'url') return readPage(params, isRepeated)
  if (params['mode'] !== undefined && params['mode'] !== 'form') return undefined
  const schema = params['requestedSchema']
  const properties = isObject(schema) ? schema['properties'] : undefined
  if (!isObject(schema) || !isObject(properties)) return undefined
  const names = Object.keys(properties)
  if (names.length > maxFields) return undefined
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  const fields: ElicitationField[] = []
  for (const name of names) {
    const field = readField(name, properties[name], required.includes(name))
    if (field === undefined) return undefined
    fields.push(field)
  }
  const message = readText(params['message'], maxMessageChars) ?? ''
  const texts = [message, ...fields.flatMap(listTexts)]
  const isTooLong = texts.reduce((sum, { length }) => sum + length, 0) > maxFormChars
  return isTooLong || asksForSecret(texts) ? undefined : { message, fields }
}

/** Every text of a field, in the order in which they are shown, and those that are sent. */
function listTexts(field: ElicitationField): readonly string[] {
  const { name, label, description } = field
  const shown = [label, description ?? '']
  if (field.kind === 'text') shown.push(field.value ?? '')
  if (field.kind === 'choice') for (const { label: option, value } of field.options) shown.push(option, value)
  return name === label ? shown : [...shown, name]
}

function readPage(params: JsonObject, isRepeated: boolean): Elicitation | undefined {
  const { url } = params
  if (typeof url !== 'string' || url.length > maxAddressChars || !URL.canParse(url)) return undefined
  const { protocol, username, password, href } = new URL(url)
  // A user name before the host can look like the host.
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return undefined
  return {
    message: readText(params['message'], maxMessageChars) ?? '',
    fields: [],
    page: { address: href, needs_continue: isRepeated },
  }
}

function readField(name: string, property: unknown, required: boolean): ElicitationField | undefined {
  if (!isObject(property) || name === '__proto__' || name.length > maxNameChars) return undefined
  const label = readText(property['title'], maxTextChars) ?? cleanText(name)
  const description = readText(property['description'], maxTextChars)
  if (property['format'] === 'password') return undefined
  const shared = { name, label, description, required }
  const choice = readChoice(property)
  if (choice !== undefined) return { ...shared, ...choice }
  switch (property['type']) {
    case 'string':
      return { ...shared, kind: 'text', ...readTextRules(property) }
    case 'number':
    case 'integer':
      return {
        ...shared,
        kind: 'number',
        whole: property['type'] === 'integer',
        minimum: readWrittenNumber(property['minimum']),
        maximum: readWrittenNumber(property['maximum']),
        value: readWrittenNumber(property['default']),
      }
    case 'boolean':
      return {
        ...shared,
        kind: 'switch',
        value: property['default'] === true ? true : property['default'] === false ? false : null,
      }
    default:
      return undefined
  }
}

function readTextRules(property: JsonObject) {
  return {
    format: textFormats.find((format) => format === property['format']) ?? null,
    minLength: readNumber(property['minLength']),
    maxLength: readNumber(property['maxLength']),
    value: readText(property['default'], maxAnswerChars),
  }
}

function readChoice(property: JsonObject) {
  const many = property['type'] === 'array'
  const source = many ? property['items'] : property
  if (!isObject(source)) return undefined
  const options = readOptions(source)
  if (options === undefined) return undefined
  const defaultValue = property['default']
  const values = Array.isArray(defaultValue) ? defaultValue : [defaultValue]
  return {
    kind: 'choice' as const,
    many,
    options,
    value: options.filter((option) => values.includes(option.value)).map((option) => option.value),
  }
}

/** Parses the options of a choice: an `enum`, an `enum` with `enumNames`, or alternatives with `const` and `title`. */
function readOptions(source: JsonObject) {
  const titled = source['oneOf'] ?? source['anyOf']
  const names: readonly unknown[] = Array.isArray(source['enumNames']) ? source['enumNames'] : []
  const pairs: (readonly [unknown, unknown])[] | undefined = Array.isArray(titled)
    ? titled.map((option: unknown) =>
        isObject(option) ? [option['const'], option['title']] : [undefined, undefined],
      )
    : Array.isArray(source['enum'])
      ? source['enum'].map((value: unknown, index) => [value, names[index]])
      : undefined
  if (pairs === undefined || pairs.length === 0 || pairs.length > maxOptions) return undefined
  // A value is returned to the server unchanged, so one that is too long makes the choice unusable.
  const options = pairs.map(([value, title]) =>
    typeof value === 'string' && value.length <= maxTextChars
      ? { value, label: readText(title, maxTextChars) ?? (cleanText(value) || '(empty)') }
      : undefined,
  )
  return options.every((option) => option !== undefined) ? options : undefined
}

function readText(value: unknown, maxChars: number): string | null {
  return typeof value === 'string' ? cleanText(value).slice(0, maxChars).toWellFormed() : null
}

function readNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

function readWrittenNumber(value: unknown): number | string | null {
  if (!(value instanceof ExactNumber)) return readNumber(value)
  return value.source.length <= maxNumberChars ? value.source : null
}

/** What a tool's server gets: an answer whose numbers are numbers, as they were written. */
export interface SentAnswer extends Pick<ElicitationAnswer, 'action'> {
  readonly content?: Readonly<Record<string, unknown>>
}

/** Converts a checked answer. */
export function toSentAnswer({ fields }: Elicitation, { action, content }: ElicitationAnswer): SentAnswer {
  if (content === undefined) return { action }
  const numbers = new Set(fields.filter(({ kind }) => kind === 'number').map(({ name }) => name))
  const values = Object.entries(content).map(([name, value]) => {
    if (typeof value !== 'string' || !numbers.has(name)) return [name, value]
    return [name, isHeldByDouble(value) ? Number(value) : new ExactNumber(value)]
  })
  return { action, content: Object.fromEntries(values) as JsonObject }
}

/**
 * Returns the answer with only the fields of the form, or undefined when the answer is invalid: when a required value
 * is missing, or a value has another type, length or range or is not an option. Formats are left to the server.
 */
export function checkElicitationAnswer(
  { fields, page }: Elicitation,
  answer: ElicitationAnswer,
): ElicitationAnswer | undefined {
  if (answer.action !== 'accept') return { action: answer.action }
  if (page !== undefined) return { action: 'accept' }
  const content: Record<string, string | number | boolean | string[]> = {}
  for (const field of fields) {
    // A field may have the name of an inherited property, such as `constructor`.
    const value = Object.hasOwn(answer.content ?? {}, field.name) ? answer.content?.[field.name] : undefined
    if (value === undefined) {
      if (field.required) return undefined
      continue
    }
    if (!fits(field, value)) return undefined
    content[field.name] = value
  }
  return { action: 'accept', content }
}

function fits(field: ElicitationField, value: string | number | boolean | string[]): boolean {
  switch (field.kind) {
    case 'text':
      return (
        typeof value === 'string' &&
        value.length >= (field.minLength ?? 0) &&
        value.length <= Math.min(field.maxLength ?? maxAnswerChars, maxAnswerChars)
      )
    case 'number':
      return (
        (typeof value === 'number' || (typeof value === 'string' && value.length <= maxNumberChars)) &&
        isJsonNumber(String(value)) &&
        (!field.whole || isWholeNumber(String(value))) &&
        (field.minimum === null || compareNumbers(String(value), String(field.minimum)) >= 0) &&
        (field.maximum === null || compareNumbers(String(value), String(field.maximum)) <= 0)
      )
    case 'switch':
      return typeof value === 'boolean'
    case 'choice': {
      const values = new Set(field.options.map((option) => option.value))
      if (field.many) return Array.isArray(value) && value.every((item) => values.has(item))
      return typeof value === 'string' && values.has(value)
    }
  }
}
