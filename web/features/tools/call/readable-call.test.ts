import { afterEach, describe, expect, it, vi } from 'vitest'
import { makeConnector, makeMessage } from '../../../testing/wire-objects.ts'
import { findReadableCall, readFields, readPlainFields } from './readable-call.ts'
import { readTime } from './readable-time.ts'

const gmail = makeConnector({ name: 'Gmail', url: 'builtin://google-gmail', is_default: true })
const calendar = makeConnector({ name: 'Calendar', url: 'builtin://google-calendar', is_default: true })
const callOf = (server: string, tool: string) => makeMessage('a1', null, { role: 'assistant', server, tool })

function read(server: string, tool: string, values: object, zone?: string) {
  const readable = findReadableCall([gmail, calendar], callOf(server, tool))
  return readable && readFields(readable, JSON.stringify(values), zone)
}

describe('the arguments of a call as a user reads them', () => {
  it('are those of an email in the order of an email, whatever the order of the arguments', () => {
    const values = { body: 'Hi,\n\nbye', to: ['ann@example.com', 'bob@example.com'], subject: '', bcc: [] }
    expect(read('Gmail', 'send_message', values)).toEqual([
      { label: 'To', value: { kind: 'list', items: ['ann@example.com', 'bob@example.com'] } },
      { label: 'Bcc', value: { kind: 'list', items: [] } },
      { label: 'Subject', value: { kind: 'line', text: '' } },
      { label: 'Text', value: { kind: 'body', text: 'Hi,\n\nbye' } },
    ])
  })

  it('hide nothing: an unknown field and a value of another type are shown as they are', () => {
    expect(read('Gmail', 'send_message', { to: 'ann@example.com', cc: [1], 'To ': { a: 1 } })).toEqual([
      { label: 'To', value: { kind: 'line', text: 'ann@example.com' } },
      { label: 'Cc', value: { kind: 'json', text: '[\n  1\n]' } },
      { label: '"To "', value: { kind: 'json', text: '{\n  "a": 1\n}' } },
    ])
    const event = { start: 'tomorrow', email_guests: 'all', guests: null }
    expect(read('Calendar', 'create_event', event)).toEqual([
      { label: 'Starts', value: { kind: 'line', text: 'tomorrow' } },
      { label: 'Guests', value: { kind: 'json', text: 'null' } },
      { label: 'Email guests', value: { kind: 'line', text: 'all' } },
    ])
  })

  it('keep every digit', () => {
    const fields = readFields({ fields: [] }, '{"n":[1234567890123456789,1e400]}', undefined)
    expect(fields).toEqual([
      { label: '"n"', value: { kind: 'json', text: '[\n  1234567890123456789,\n  1e400\n]' } },
    ])
  })

  it('have no form for other tools, and for tools of the same name elsewhere', () => {
    expect(read('Gmail', 'search_messages', {})).toBeUndefined()
    const other = makeConnector({ name: 'Mine', url: 'builtin://google-gmail' })
    expect(findReadableCall([other], callOf('Mine', 'send_message'))).toBeUndefined()
    expect(findReadableCall(undefined, callOf('Gmail', 'send_message'))).toBeUndefined()
    expect(findReadableCall([gmail], callOf('Gmail', 'toString'))).toBeUndefined()
  })
})

describe('the times of a change', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('are in the time zone that each is read in: the current start in that of the calendar', () => {
    vi.stubEnv('TZ', 'Europe/Vienna')
    const start = '2026-03-30T14:30'
    const values = { start, new_start: start, time_zone: 'America/New_York' }
    const inVienna = { kind: 'time', text: 'Monday, March 30, 2026 at 14:30' }
    expect(read('Calendar', 'update_event', values, 'Europe/Vienna')?.slice(0, 2)).toEqual([
      { label: 'Starts', value: inVienna },
      {
        label: 'New start',
        value: {
          kind: 'time',
          text: 'Monday, March 30, 2026 at 20:30',
          note: 'Monday, March 30, 2026 at 14:30 in America/New_York',
        },
      },
    ])
    // These tools have no such argument, and ignore it.
    for (const tool of ['delete_event', 'respond_to_invitation'])
      expect(read('Calendar', tool, values, 'Europe/Vienna')?.[0]).toEqual({
        label: 'Starts',
        value: inVienna,
      })
  })
})

describe('a time', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('has its weekday, in the time zone of this browser and in its own', () => {
    vi.stubEnv('TZ', 'Europe/Vienna')
    expect(readTime('2026-03-30T14:30', 'Europe/Vienna')).toEqual({
      text: 'Monday, March 30, 2026 at 14:30',
    })
    expect(readTime('2026-03-30T14:30', 'America/New_York')).toEqual({
      text: 'Monday, March 30, 2026 at 20:30',
      note: 'Monday, March 30, 2026 at 14:30 in America/New_York',
    })
    expect(readTime('2026-03-30T23:30:00Z', undefined)).toEqual({
      text: 'Tuesday, March 31, 2026 at 01:30',
    })
    // The clocks changed the night before.
    expect(readTime('2026-03-29T03:00', 'Europe/Vienna')).toEqual({
      text: 'Sunday, March 29, 2026 at 03:00',
    })
  })

  it('without a time zone is marked as in the time zone of the calendar', () => {
    expect(readTime('2026-03-30T14:30', undefined)).toEqual({
      text: 'Monday, March 30, 2026 at 14:30',
      note: 'in the time zone of your calendar',
    })
    expect(readTime('2026-03-30', 'Europe/Vienna')).toEqual({ text: 'Monday, March 30, 2026' })
  })

  it.each([
    '',
    'tomorrow',
    '2026-03-30 14:30',
    '2026-99-99',
    '2026-02-31',
    '2026-02-31T10:00',
    '2026-02-31T10:00+01:00',
    '2026-03-30T24:00',
    '2026-03-30T14:30 ',
    '2026-13-01T10:00',
  ])('that cannot be read is shown as it is: "%s"', (text) =>
    expect(readTime(text, 'Europe/Vienna')).toBeUndefined(),
  )

  it('in an unknown time zone is shown as it is', () => {
    expect(readTime('2026-03-30T14:30', 'Moon/Crater')).toBeUndefined()
  })
})

describe('the arguments of another call', () => {
  it('have lists of flat objects as tables and long texts as texts, with nothing left out', () => {
    const rows = [
      { name: 'Ann', age: 1e21 },
      { name: 'Bo', ok: null },
    ]
    const text = JSON.stringify({ rows, note: 'one\ntwo', deep: [{ a: {} }], n: 1 })
    expect(readPlainFields(text.replace('1e+21', '1234567890123456789'))).toEqual([
      {
        label: '"rows"',
        value: {
          kind: 'table',
          columns: ['name', 'age', 'ok'],
          rows: [
            ['Ann', '1234567890123456789', ''],
            ['Bo', '', 'null'],
          ],
        },
      },
      { label: '"note"', value: { kind: 'body', text: 'one\ntwo' } },
      { label: '"deep"', value: { kind: 'json', text: JSON.stringify([{ a: {} }], null, 2) } },
      { label: '"n"', value: { kind: 'json', text: '1' } },
    ])
  })

  it.each(['{"a":"one line"}', '{"list":[]}', '{"list":[{}]}', '[]', 'no json'])(
    'stay JSON when nothing of %s is easier to read',
    (text) => {
      expect(readPlainFields(text)).toBeUndefined()
    },
  )
})
