import type { ElicitationAnswer, ElicitationField } from '@yonder/contract/elicitation'

/** What stands in a field: its text, a switch, or the values that are chosen. */
export type QuestionEntry = string | boolean | readonly string[]

/** Characters that a text may have where its question sets no limit. */
const longestText = 10_000

/** What stands in a field at first. */
export function presetEntry(field: ElicitationField): QuestionEntry {
  switch (field.kind) {
    case 'text':
      return presetText(field)
    case 'number':
      return field.value === null ? '' : String(field.value)
    case 'switch':
      return field.value ?? false
    case 'choice':
      return field.value
  }
}

/** A box for dates shows nothing but dates as it writes them: nothing may be sent that nobody sees. */
function presetText({ format, value }: Extract<ElicitationField, { kind: 'text' }>): string {
  if (value === null) return ''
  if (format === 'date') return /^\d{4}-\d\d-\d\d$/.test(value) ? value : ''
  return format === 'date-time' ? toLocalMoment(Date.parse(value)) : value
}

/** Milliseconds since 1970 as the date and the time of the person's own place, without seconds that are none. */
function toLocalMoment(moment: number): string {
  if (Number.isNaN(moment)) return ''
  const offset = new Date(moment).getTimezoneOffset() * 60_000
  return new Date(moment - offset).toISOString().slice(0, 19).replace(/:00$/, '')
}

/** What is wrong with an entry, in a sentence; nothing when it can be sent. */
export function checkEntry(field: ElicitationField, entry: QuestionEntry): string | undefined {
  if (isEmpty(entry))
    return field.required && !(field.kind === 'choice' && field.many) ? 'Please fill this in' : undefined
  if (field.kind === 'text') return checkText(field, String(entry))
  return field.kind === 'number' ? checkNumber(field, Number(entry)) : undefined
}

/** The entries as they are sent; what is empty and need not be filled in is left out. */
export function answerWith(
  fields: readonly ElicitationField[],
  entryOf: (field: ElicitationField) => QuestionEntry,
): ElicitationAnswer {
  const values = fields.flatMap((field) => {
    const entry = entryOf(field)
    if (isEmpty(entry) && !(field.required && typeof entry === 'object')) return []
    return [[field.name, readValue(field, entry)] as const]
  })
  return { action: 'accept', content: Object.fromEntries(values) }
}

function readValue(field: ElicitationField, entry: QuestionEntry): string | number | boolean | string[] {
  if (typeof entry === 'boolean') return entry
  if (typeof entry === 'object') return field.kind === 'choice' && !field.many ? (entry[0] ?? '') : [...entry]
  if (field.kind === 'number') return Number(entry)
  return field.kind === 'text' && field.format === 'date-time' ? new Date(entry).toISOString() : entry
}

const isEmpty = (entry: QuestionEntry) =>
  typeof entry === 'string' ? entry.trim() === '' : typeof entry === 'object' && entry.length === 0

function checkText(
  { minLength, maxLength, format }: Extract<ElicitationField, { kind: 'text' }>,
  text: string,
): string | undefined {
  const most = Math.min(maxLength ?? longestText, longestText)
  if (text.length < (minLength ?? 0)) return `At least ${minLength} characters`
  if (text.length > most) return `At most ${most} characters`
  if (format === 'email' && !/^[^\s@]+@[^\s@]+$/.test(text)) return 'Please enter an e-mail address'
  if (format === 'uri' && !URL.canParse(text)) return 'Please enter a whole address, like https://example.com'
  const isMoment = format === 'date' || format === 'date-time'
  return isMoment && Number.isNaN(Date.parse(text)) ? 'Please enter a date' : undefined
}

function checkNumber(
  { whole, minimum, maximum }: Extract<ElicitationField, { kind: 'number' }>,
  value: number,
): string | undefined {
  if (!Number.isFinite(value)) return 'Please enter a number'
  if (whole && !Number.isInteger(value)) return 'Please enter a whole number'
  if (minimum !== null && value < minimum) return `At least ${minimum}`
  return maximum !== null && value > maximum ? `At most ${maximum}` : undefined
}
