import type { calendar_v3 } from '@googleapis/calendar'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { presentEvent } from './present-event.ts'

const time = fc.record(
  {
    date: fc.constantFrom('2026-03-29', '2026-02-30', '', 'soon', '+275760-09-13'),
    dateTime: fc.constantFrom(
      '2026-03-29T02:30:00+01:00',
      '2026-10-25T00:30:00Z',
      '2026-03-29T02:30:00',
      '',
      'x',
    ),
    timeZone: fc.constantFrom('Europe/Vienna', 'Nowhere'),
  },
  { requiredKeys: [] },
)
const event = fc.record(
  {
    summary: fc.string(),
    description: fc.oneof(fc.string(), fc.constant('<p>&amp;')),
    start: time,
    end: time,
    endTimeUnspecified: fc.boolean(),
    attendees: fc.array(fc.record({ email: fc.string(), self: fc.boolean() }, { requiredKeys: [] })),
    recurrence: fc.array(fc.string()),
    organizer: fc.record({ email: fc.string(), displayName: fc.string() }, { requiredKeys: [] }),
    status: fc.constantFrom('confirmed', 'cancelled', 'x'),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<calendar_v3.Schema$Event>

const client = { userId: 'ada', signal: new AbortController().signal }

describe('presentEvent', () => {
  it('returns a text for every event', async () => {
    await fc.assert(
      fc.asyncProperty(event, async (arbitrary) => {
        expect(await presentEvent(client, arbitrary, 'Europe/Vienna')).toMatch(/^event_id: /)
      }),
      { numRuns: 200 },
    )
  })

  it.each([
    [200, null, 'guest-number-199@example.com (not answered)'],
    [203, null, 'guest-number-199@example.com (not answered), 3 more'],
    [200, 'a'.repeat(900), 'guest-number-9@example.com> (not answered), 190 more'],
  ])('lists whole guests of %d and counts the others', async (count, displayName, end) => {
    const attendees = Array.from({ length: count }, (_, index) => ({
      email: `guest-number-${index}@example.com`,
      displayName,
    }))
    const text = await presentEvent(client, { attendees }, 'Europe/Vienna')
    const list = /^Guest list: (.*)$/m.exec(text)?.[1] ?? ''
    expect(list.slice(-end.length)).toBe(end)
    expect(list.length).toBeLessThan(12_000)
  })

  it.each([
    ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', 'Sun 2026-10-25 02:30+02:00 to 02:30+01:00'],
    ['2026-03-29T00:30:00Z', '2026-03-29T01:30:00Z', 'Sun 2026-03-29 01:30 to 03:30'],
    ['2026-03-29T21:00:00Z', '2026-03-30T01:00:00Z', 'Sun 2026-03-29 23:00 to Mon 2026-03-30 03:00'],
  ])('describes the time from %s to %s', async (start, end, when) => {
    const text = await presentEvent(
      client,
      { start: { dateTime: start }, end: { dateTime: end } },
      'Europe/Vienna',
    )
    expect(text).toContain(`When: ${when}`)
  })
})
