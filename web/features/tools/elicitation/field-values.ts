import type { ElicitationAnswer, ElicitationField } from '@yonder/contract/elicitation'
import { compareNumbers, isHeldByDouble, isJsonNumber, isWholeNumber } from '@yonder/contract/lib/exact-json'

/** The value of a field: a text, the state of a switch, or the chosen options. */
export type FieldValue = string | boolean | readonly string[]

/** The maximum length of a text, even if its field allows more. */
const maxTextChars = 10_000

/** The value of a field before the user enters one. */
export function initialValue(field: ElicitationField): FieldValue {
  switch (field.kind) {
    case 'text':
      return initialText(field)
    case 'number':
      return field.value === null ? '' : String(field.value)
    case 'switch':
      return field.value ?? false
    case 'choice':
      return field.value
  }
}

/** Returns an empty text for a value that a date input cannot show, because the user must see what is sent. */
function initialText({ format, value }: Extract<ElicitationField, { kind: 'text' }>): string {
  if (value === null) return ''
  if (format === 'date') return /^\d{4}-\d\d-\d\d$/.test(value) ? value : ''
  return format === 'date-time' ? toLocalDateTime(Date.parse(value)) : value
}

/** Formats milliseconds since 1970 for a local date and time input, without seconds when they are 0. */
function toLocalDateTime(timestampMs: number): string {
  if (Number.isNaN(timestampMs)) return ''
  const offset = new Date(timestampMs).getTimezoneOffset() * 60_000
  return new Date(timestampMs - offset).toISOString().slice(0, 19).replace(/:00$/, '')
}

/** Returns what the user has to correct in a value; undefined when it can be sent. */
export function checkValue(field: ElicitationField, value: FieldValue): string | undefined {
  if (isEmpty(value)) return explainMissing(field)
  if (field.kind === 'text') return checkText(field, String(value))
  return field.kind === 'number' ? checkNumber(field, toJsonNumber(String(value))) : undefined
}

function explainMissing(field: ElicitationField): string | undefined {
  if (!field.required || (field.kind === 'choice' && field.many)) return undefined
  return field.kind === 'choice' ? 'Choose an option' : 'Enter a value'
}

/** Creates the answer to send. Fields that are empty and not required are omitted. */
export function createAnswer(
  fields: readonly ElicitationField[],
  valueOf: (field: ElicitationField) => FieldValue,
): ElicitationAnswer {
  const values = fields.flatMap((field) => {
    const value = valueOf(field)
    if (isEmpty(value) && !(field.required && typeof value === 'object')) return []
    return [[field.name, toAnswerValue(field, value)] as const]
  })
  return { action: 'accept', content: Object.fromEntries(values) }
}

function toAnswerValue(field: ElicitationField, value: FieldValue): string | number | boolean | string[] {
  if (typeof value === 'boolean') return value
  if (typeof value === 'object') return field.kind === 'choice' && !field.many ? (value[0] ?? '') : [...value]
  if (field.kind === 'number') {
    const text = toJsonNumber(value)
    return isHeldByDouble(text) ? Number(text) : text
  }
  return field.kind === 'text' && field.format === 'date-time' ? new Date(value).toISOString() : value
}

/** A number as JSON writes it, with every digit that was entered. */
function toJsonNumber(text: string): string {
  const digits = text.trim().replace(/^\+/, '')
  return digits.replace(/^(-?)0+(?=\d)/, '$1').replace(/(?<=^-?)\./, '0.')
}

const isEmpty = (value: FieldValue) =>
  typeof value === 'string' ? value.trim() === '' : typeof value === 'object' && value.length === 0

function checkText(
  { minLength, maxLength, format }: Extract<ElicitationField, { kind: 'text' }>,
  text: string,
): string | undefined {
  const maxChars = Math.min(maxLength ?? maxTextChars, maxTextChars)
  if (text.length < (minLength ?? 0)) return `Enter at least ${minLength} characters`
  if (text.length > maxChars) return `Enter at most ${maxChars} characters`
  if (format === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text)) return 'Enter an e-mail address'
  if (format === 'uri' && !URL.canParse(text)) return 'Enter a full URL, for example https://example.com'
  const isDate = format === 'date' || format === 'date-time'
  return isDate && Number.isNaN(Date.parse(text)) ? 'Enter a date' : undefined
}

function checkNumber(
  { whole, minimum, maximum }: Extract<ElicitationField, { kind: 'number' }>,
  text: string,
): string | undefined {
  if (!isJsonNumber(text)) return 'Enter a number'
  if (whole && !isWholeNumber(text)) return 'Enter a whole number'
  if (minimum !== null && compareNumbers(text, String(minimum)) < 0) return `Enter ${minimum} or more`
  return maximum !== null && compareNumbers(text, String(maximum)) > 0
    ? `Enter ${maximum} or less`
    : undefined
}
