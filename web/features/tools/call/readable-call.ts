import type { Connector } from '@yonder/contract/connector'
import { ExactNumber, parseJsonExactly } from '@yonder/contract/lib/exact-json'
import type { Message } from '@yonder/contract/message'
import { readTime, type ReadableTime } from './readable-time.ts'

export type ReadableValue =
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'line' | 'body' | 'json'; readonly text: string }
  | {
      readonly kind: 'table'
      readonly columns: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }
  | ({ readonly kind: 'time' } & ReadableTime)

/** A field of a call as a user reads it. */
export interface ReadableField {
  readonly label: string
  readonly value: ReadableValue
}

/**
 * How an argument is shown. A `calendar_time` without an offset is in the time zone of the calendar, whatever the
 * argument `time_zone` says.
 */
type Kind = 'list' | 'line' | 'body' | 'time' | 'calendar_time' | 'yes_no'
type Field = readonly [name: string, label: string, kind: Kind]

const mail: readonly Field[] = [
  ['to', 'To', 'list'],
  ['cc', 'Cc', 'list'],
  ['bcc', 'Bcc', 'list'],
  ['subject', 'Subject', 'line'],
  ['body', 'Text', 'body'],
  ['attachments', 'Attachments', 'list'],
]
const event: readonly Field[] = [
  ['title', 'Event', 'line'],
  ['start', 'Starts', 'time'],
  ['end', 'Ends', 'time'],
  ['time_zone', 'Time zone', 'line'],
  ['recurrence', 'Repeats', 'line'],
  ['location', 'Place', 'line'],
  ['description', 'Description', 'body'],
  ['guests', 'Guests', 'list'],
  ['email_guests', 'Email guests', 'yes_no'],
]
const change: readonly Field[] = [
  ['title', 'Event', 'line'],
  ['start', 'Starts', 'calendar_time'],
  ['scope', 'Applies to', 'line'],
  ['organizer', 'Organizer', 'line'],
  ['response', 'Response', 'line'],
  ['comment', 'Comment', 'body'],
  ['new_title', 'New title', 'line'],
  ['new_start', 'New start', 'time'],
  ['new_end', 'New end', 'time'],
  ['time_zone', 'Time zone', 'line'],
  ['new_recurrence', 'Repeats', 'line'],
  ['new_location', 'New place', 'line'],
  ['new_description', 'New description', 'body'],
  ['add_guests', 'Add guests', 'list'],
  ['remove_guests', 'Remove guests', 'list'],
  ['email_guests', 'Emails to', 'list'],
]

/** The fields of the calls that are shown with labels, by the address of the connector and the name of the tool. */
const calls: Readonly<Record<string, Readonly<Record<string, readonly Field[]>>>> = {
  'builtin://google-gmail': {
    send_message: mail,
    reply_to_message: mail,
    send_draft: mail,
    create_draft: mail,
    update_draft: mail,
  },
  'builtin://google-calendar': {
    create_event: event,
    update_event: change,
    delete_event: change,
    respond_to_invitation: change,
  },
}

/** A call whose arguments are shown as labelled fields. */
export interface ReadableCall {
  readonly connector: Connector
  readonly fields: readonly Field[]
}

/** Returns the connector and the labelled fields of a call; undefined for a call that is shown without labels. */
export function findReadableCall(
  connectors: readonly Connector[] | undefined,
  { server, tool = '' }: Message,
): ReadableCall | undefined {
  const connector = connectors?.find(({ name }) => name === server)
  // Only built-in connectors have such an address; others may give their tools the same names with another meaning.
  const tools = connector?.is_default === true ? calls[connector.url] : undefined
  const fields = tools !== undefined && Object.hasOwn(tools, tool) ? tools[tool] : undefined
  return connector === undefined || fields === undefined ? undefined : { connector, fields }
}

/**
 * Returns every argument of a call as a user reads it; undefined if they are not an object. An argument without a
 * labelled field, or not of the expected type, is shown as text or JSON, so that nothing is hidden. `text` is
 * the JSON of the arguments; `calendarZone` is the IANA name of the calendar's time zone, if known.
 */
export function readFields(
  { fields: known }: Pick<ReadableCall, 'fields'>,
  text: string,
  calendarZone: string | undefined,
): readonly ReadableField[] | undefined {
  const values = parseObject(text)
  if (values === undefined) return undefined
  const zone = typeof values['time_zone'] === 'string' ? values['time_zone'] : calendarZone
  const zoneOf = (kind: Kind) => (kind === 'calendar_time' ? calendarZone : zone)
  const shown = known
    .filter(([name]) => Object.hasOwn(values, name))
    .map(([name, label, kind]) => ({ label, value: readValue(values[name], kind, zoneOf(kind)) }))
  const names = new Set(known.map(([name]) => name))
  const others = Object.entries(values)
    .filter(([name]) => !names.has(name))
    .map(([name, value]) => ({ label: `"${name}"`, value: toPlain(value) }))
  return [...shown, ...others]
}

/** Larger lists stay JSON. */
const maxColumns = 8
const maxRows = 100

/**
 * Returns the arguments of any other call as fields, if some are easier to read so than as JSON: a text of several lines,
 * and a list of objects without further levels, as a table. Otherwise undefined.
 */
export function readPlainFields(text: string): readonly ReadableField[] | undefined {
  const fields = Object.entries(parseObject(text) ?? {}).map(([name, value]) => ({
    label: `"${name}"`,
    value: toEasy(value),
  }))
  return fields.some(({ value: { kind } }) => kind === 'body' || kind === 'table') ? fields : undefined
}

function toEasy(value: unknown): ReadableValue {
  if (typeof value === 'string' && value.includes('\n')) return { kind: 'body', text: value }
  if (!Array.isArray(value) || value.length === 0 || value.length > maxRows || !value.every(isFlat))
    return toPlain(value)
  const columns = [...new Set(value.flatMap((row) => Object.keys(row)))]
  if (columns.length === 0 || columns.length > maxColumns) return toPlain(value)
  const rows = value.map((row) => columns.map((name) => (Object.hasOwn(row, name) ? toCell(row[name]) : '')))
  return { kind: 'table', columns, rows }
}

function isFlat(row: unknown): row is Readonly<Record<string, unknown>> {
  if (typeof row !== 'object' || row === null || Array.isArray(row) || row instanceof ExactNumber)
    return false
  return Object.values(row).every(
    (cell) => typeof cell !== 'object' || cell === null || cell instanceof ExactNumber,
  )
}

const toCell = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = parseJsonExactly(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

function readValue(value: unknown, kind: Kind, zone: string | undefined): ReadableValue {
  if (kind === 'list') {
    const isList = Array.isArray(value) && value.every((item) => typeof item === 'string')
    return isList ? { kind, items: value } : toPlain(value)
  }
  if (kind === 'yes_no')
    return typeof value === 'boolean' ? { kind: 'line', text: value ? 'Yes' : 'No' } : toPlain(value)
  if (typeof value !== 'string') return toPlain(value)
  if (kind !== 'time' && kind !== 'calendar_time') return { kind, text: value }
  const time = readTime(value, zone)
  return time === undefined ? toPlain(value) : { kind: 'time', ...time }
}

function toPlain(value: unknown): ReadableValue {
  return typeof value === 'string'
    ? { kind: 'line', text: value }
    : { kind: 'json', text: JSON.stringify(value, null, 2) }
}
