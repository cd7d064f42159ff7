import { isJsonNumber, isWholeNumber, parseJsonExactly } from '@yonder/contract/lib/exact-json'
import { hasInvisible } from '@yonder/contract/lib/invisible'

/** An argument that a form can show. */
export interface ArgumentField {
  readonly name: string
  readonly description: string | undefined
  readonly required: boolean
  /** `lines` is a list of texts, one on each line. */
  readonly kind: 'text' | 'number' | 'whole' | 'yes_no' | 'choice' | 'lines'
  /** Of a choice. */
  readonly options: readonly string[]
}

export type Values = Readonly<Record<string, unknown>>

/** Returns the object that a JSON text describes; undefined if it describes none. */
export function parseArguments(text: string): Values | undefined {
  try {
    const value: unknown = parseJsonExactly(text.trim() === '' ? '{}' : text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns what is wrong with the JSON text of arguments, with the line if the browser names it; undefined if nothing. */
export function findJsonError(text: string): string | undefined {
  try {
    return isObject(JSON.parse(text)) ? undefined : 'The arguments must be an object, in { and }.'
  } catch (error) {
    const line = error instanceof Error ? findLine(error.message, text) : undefined
    return `This is not valid JSON${line === undefined ? '' : `, line ${line}`}.`
  }
}

/** Browsers name the line, or the place in the text, or say that the text ended too early. */
function findLine(message: string, text: string): number | undefined {
  const line = /\bline (\d+)/.exec(message)?.[1]
  if (line !== undefined) return Number(line)
  const position = /\bposition (\d+)/.exec(message)?.[1]
  if (position === undefined && !/\bend\b|EOF/i.test(message)) return undefined
  return text.slice(0, position === undefined ? undefined : Number(position)).split('\n').length
}

/**
 * Returns the fields of a form for the arguments of a tool with this schema; undefined when some argument is not a text, a
 * number, a choice, a list of texts, or yes or no, so that only JSON can show it. `values` are the present arguments.
 */
export function listFields(schema: unknown, values: Values): readonly ArgumentField[] | undefined {
  if (!isObject(schema) || !isObject(schema['properties'])) return undefined
  const { properties } = schema
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  if (Object.keys(values).some((name) => !Object.hasOwn(properties, name))) return undefined
  const fields: ArgumentField[] = []
  for (const [name, property] of Object.entries(properties)) {
    const field = isObject(property) ? toField(name, property, required.includes(name)) : undefined
    if (field === undefined || !canShow(field, values[name]) || hasInvisible(name)) return undefined
    fields.push(field)
  }
  return fields.length === 0 ? undefined : fields
}

const kinds: Readonly<Record<string, ArgumentField['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'whole',
  boolean: 'yes_no',
}

function toField(name: string, schema: Values, required: boolean): ArgumentField | undefined {
  const { type, items, description: about } = schema
  const description = typeof about === 'string' && about !== '' ? about : undefined
  const field = { name, description, required, options: [] }
  if (type === 'array')
    return isObject(items) && items['type'] === 'string' && items['enum'] === undefined
      ? { ...field, kind: 'lines' }
      : undefined
  const { enum: options } = schema
  if (options !== undefined)
    return type === 'string' && isTexts(options) ? { ...field, kind: 'choice', options } : undefined
  const kind = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
  return kind && { ...field, kind }
}

function canShow({ kind, options }: ArgumentField, value: unknown): boolean {
  if (value === undefined) return true
  switch (kind) {
    case 'text':
      return typeof value === 'string'
    case 'choice':
      return typeof value === 'string' && options.includes(value)
    case 'yes_no':
      return typeof value === 'boolean'
    case 'lines':
      return isTexts(value) && value.every((line) => line !== '' && !line.includes('\n'))
    case 'number':
    case 'whole':
      return isJsonNumber(JSON.stringify(value) ?? '')
  }
}

/** An entry of a form: the text of an input, or whether a box is checked. */
export type Entry = string | boolean

/** Returns what a form shows for the value of an argument. */
export function toEntry({ kind }: ArgumentField, value: unknown): Entry {
  if (kind === 'yes_no') return value === true
  if (value === undefined) return ''
  if (kind === 'lines') return (value as readonly string[]).join('\n')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns what the user has to correct in an entry; undefined when it can be sent. */
export function checkEntry({ kind, required }: ArgumentField, entry: Entry): string | undefined {
  if (kind === 'choice') return required && entry === '' ? 'Choose an option' : undefined
  if (!isNumeric({ kind })) return undefined
  const text = String(entry).trim()
  if (text === '') return required ? 'Enter a number' : undefined
  if (!isJsonNumber(text)) return 'Enter a number'
  return kind === 'whole' && !isWholeNumber(text) ? 'Enter a whole number' : undefined
}

/**
 * Returns the arguments with an entry of the form. An argument that is empty is left out, unless it is required and can
 * be empty.
 */
export function withEntry(values: Values, field: ArgumentField, entry: Entry): Values {
  const { name, kind, required } = field
  const { [name]: _, ...others } = values
  if (entry === '' && (!required || kind === 'choice')) return others
  if (isNumeric(field) && String(entry).trim() === '') return others
  return Object.hasOwn(values, name)
    ? { ...values, [name]: toValue(field, entry) }
    : { ...others, [name]: toValue(field, entry) }
}

function toValue({ kind }: ArgumentField, entry: Entry): unknown {
  if (typeof entry === 'boolean') return entry
  if (kind === 'lines') return entry.split('\n').filter((line) => line !== '')
  return isNumeric({ kind }) && isJsonNumber(entry.trim()) ? parseJsonExactly(entry.trim()) : entry
}

function isNumeric({ kind }: Pick<ArgumentField, 'kind'>): boolean {
  return kind === 'number' || kind === 'whole'
}

/** A grant may be limited by one of these many arguments, each at most so long, in characters. */
const maxRuleArguments = 6
const maxRuleChars = 200

/** An argument at the top level that is a text, by which a grant can be limited. */
export interface TextArgument {
  readonly name: string
  readonly value: string
}

/** Returns the first short texts among the arguments of a call. */
export function listTextArguments(text: string): readonly TextArgument[] {
  return Object.entries(parseArguments(text) ?? {})
    .flatMap(([name, value]) => (typeof value === 'string' ? [{ name, value }] : []))
    .filter(({ name, value }) => value !== '' && value.length <= maxRuleChars && name.length <= maxRuleChars)
    .slice(0, maxRuleArguments)
}

/** An argument that the user has changed, as lines of JSON; undefined where it is absent. */
export interface ChangedArgument {
  readonly name: string
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Returns the arguments at the top level that differ; undefined if one of the texts is not an object. */
export function compareArguments(proposed: string, edited: string): readonly ChangedArgument[] | undefined {
  const [before, after] = [parseArguments(proposed), parseArguments(edited)]
  if (before === undefined || after === undefined) return undefined
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names]
    .map((name) => ({ name, before: toLines(before, name), after: toLines(after, name) }))
    .filter((argument) => argument.before !== argument.after)
}

function toLines(values: Values, name: string): string | undefined {
  if (!Object.hasOwn(values, name)) return undefined
  return `${JSON.stringify(name)}: ${JSON.stringify(values[name], null, 2)}`
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
