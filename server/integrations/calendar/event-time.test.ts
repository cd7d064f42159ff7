import { describe, expect, it } from 'vitest'
import { parseEventSpan, parseEventTime } from './event-time.ts'

const parse = (text: string): string => {
  const time = parseEventTime('start', text, 'Europe/Vienna')
  return time.kind === 'day' ? time.day.toString() : time.moment.toString({ smallestUnit: 'minute' })
}
const refusal = expect.objectContaining({ code: 'invalid_request' }) as Error

describe('parseEventTime', () => {
  it.each([
    ['2026-03-20', '2026-03-20'],
    ['20260320', '2026-03-20'],
    ['2026-03-20T14:30', '2026-03-20T14:30+01:00[Europe/Vienna]'],
    ['2026-03-20 14:30:00.5', '2026-03-20T14:30+01:00[Europe/Vienna]'],
    ['20260320T1430', '2026-03-20T14:30+01:00[Europe/Vienna]'],
    ['2026-03-20T14:30Z', '2026-03-20T15:30+01:00[Europe/Vienna]'],
    ['2026-03-20T14:30-05:00', '2026-03-20T20:30+01:00[Europe/Vienna]'],
    ['2026-03-20T14:30-0500', '2026-03-20T20:30+01:00[Europe/Vienna]'],
    ['2026-03-20T14:30-05:00:00', '2026-03-20T20:30+01:00[Europe/Vienna]'],
    ['2026-03-20T14:30+01:00[Europe/Vienna]', '2026-03-20T14:30+01:00[Europe/Vienna]'],
    ['2026-03-20T14:30[America/New_York]', '2026-03-20T14:30-04:00[America/New_York]'],
    ['2026-03-20T18:30Z[America/New_York]', '2026-03-20T14:30-04:00[America/New_York]'],
    ['2026-10-25T02:30+01:00[Europe/Vienna]', '2026-10-25T02:30+01:00[Europe/Vienna]'],
  ])('reads %s', (text, expected) => {
    expect(parse(text)).toBe(expected)
  })

  it.each([
    '2026-02-30',
    '2026-03-20[Europe/Vienna]',
    '2026-03-20Z',
    '2026-03-20T14:30-05:00[Europe/Vienna]',
    '2026-03-20T14:30[Mars/Olympus]',
    '2026-03-20T14:30[u-ca=hebrew]',
    '2026-03-20T14:30 CET',
    '2026-03-20T14:30+01:00 ',
    '2026-03-29T02:30[Europe/Vienna]',
    '2026-10-25T02:30[Europe/Vienna]',
    '14:30',
    'tomorrow',
    '',
  ])('refuses "%s"', (text) => {
    expect(() => parse(text)).toThrow(refusal)
  })
})

describe('parseEventSpan', () => {
  it('accepts an event that ends when it starts, or on its first day', () => {
    expect(parseEventSpan('2026-03-20T14:30', '2026-03-20T14:30', 'UTC').end.kind).toBe('moment')
    expect(parseEventSpan('2026-03-20', '2026-03-20', 'UTC').end.kind).toBe('day')
  })

  it.each([
    ['2026-03-20T14:30', '2026-03-20T14:29'],
    ['2026-03-20', '2026-03-19'],
  ])('refuses an event from %s to %s', (start, end) => {
    expect(() => parseEventSpan(start, end, 'UTC')).toThrow('ends before it starts')
  })
})
