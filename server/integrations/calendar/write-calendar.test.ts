import { describe, expect, it } from 'vitest'
import { testAccount } from '../../testing/google/google-client.ts'
import { eventIdOf, invitedGuests, provideCalendar } from '../../testing/google/provide-calendar.ts'

const { google, calendar, lunch } = provideCalendar()

describe('creating', () => {
  const event = { title: 'Dinner', start: '2026-03-28T19:00', end: '2026-03-28T21:00' }

  it("creates an event in the user's time zone", async () => {
    const created = await google.call('create_event', { ...event, location: 'Home' })
    expect(created.text).toContain('Sat 2026-03-28 19:00 to 21:00 (Europe/Vienna)')
    expect(calendar().require(eventIdOf(created.text))).toMatchObject({
      summary: 'Dinner',
      location: 'Home',
      start: { dateTime: '2026-03-28T19:00:00+01:00', timeZone: 'Europe/Vienna' },
    })
  })

  it('creates whole days including the last one', async () => {
    const created = await google.call('create_event', {
      title: 'Trip',
      start: '2026-03-28',
      end: '2026-03-30',
    })
    expect(created.text).toContain('all day, Sat 2026-03-28 to Mon 2026-03-30')
    expect(calendar().require(eventIdOf(created.text)).end).toEqual({ date: '2026-03-31' })
  })

  it.each([
    ['the response is lost', { response: 'cut', isExecuted: true } as const],
    ['Google fails after creating it', { response: 500, isExecuted: true, times: 2 } as const],
    ['Google fails before creating it', { response: 503 } as const],
    ['the response is not one of Google', { response: 'html', isExecuted: true } as const],
    ['there are too many requests', { response: 403, reason: 'rateLimitExceeded' } as const],
  ])('creates it once when %s', async (_name, fault) => {
    google.api.fail({ method: 'calendar.events.insert', ...fault })
    const created = await google.call('create_event', {
      ...event,
      guests: ['ann@example.com'],
      email_guests: true,
    })
    expect(created.isError).toBe(false)
    expect(calendar().events.size).toBe(1)
    expect(calendar().mails).toEqual([{ event: eventIdOf(created.text), to: ['ann@example.com'] }])
  })

  it.each([
    [404, ''],
    [503, ' The event may or may not have been created. Check the calendar before creating it again.'],
  ])('explains a failure, after which looking for the event returns %d', async (response, note) => {
    google.api.fail({ method: 'calendar.events.insert', response: 503, times: 4 })
    google.api.fail({ method: 'calendar.events.get', response, times: 4 })
    expect(await google.call('create_event', event)).toEqual({
      isError: true,
      text: `Google had an internal error (503). Try again later.${note}`,
    })
  })

  it.each([
    [{ start: '2026-03-29T02:30', end: '2026-03-29T04:00' }, 'clocks are put forward'],
    [{ start: '2026-10-25T02:30', end: '2026-10-25T04:00' }, 'Add +02:00 or +01:00'],
    [{ end: '2026-03-28T18:00' }, 'ends before it starts'],
    [{ end: '2026-03-28' }, '"start" and "end" must both be days'],
    [{ start: 'tomorrow' }, 'is not a time'],
    [{ time_zone: 'Mars/Olympus' }, 'is not a time zone'],
    [{ time_zone: '+02:00' }, 'is not a time zone'],
    [{ time_zone: '2026-03-28T19:00+02:00' }, 'is not a time zone'],
    [{ guests: ['ann@example.com'] }, 'email_guests'],
    [{ guests: ['Ann <ann@example.com>'], email_guests: true }, 'not a plain address'],
    [{ title: 'Two\nlines' }, 'must be one line'],
    [{ description: 'un\u{E0041}seen' }, 'invisible characters'],
    [{ recurrence: 'FREQ=SECONDLY' }, 'not a recurrence rule'],
  ])('refuses %j and creates nothing', async (field, reason) => {
    const result = await google.call('create_event', { ...event, ...field })
    expect(result.isError).toBe(true)
    expect(result.text).toContain(reason)
    expect(calendar().events.size).toBe(0)
  })

  it('accepts an hour that occurs twice when it has an offset', async () => {
    const twice = { title: 'Night', start: '2026-10-25T02:30+01:00', end: '2026-10-25T03:30' }
    const created = await google.call('create_event', twice)
    expect(created.text).toContain('Sun 2026-10-25 02:30+01:00 to 03:30')
  })

  it('emails guests only when the call says so', async () => {
    await google.call('create_event', { ...event, guests: ['ann@example.com'], email_guests: false })
    expect(calendar().mails).toEqual([])
  })
})

describe('changing', () => {
  it('changes the given fields only', async () => {
    const { id } = lunch()
    const changed = await google.call('update_event', {
      event_id: id,
      title: 'Lunch',
      start: '2026-03-24T12:00',
      new_start: '2026-03-24T12:30',
      new_end: '2026-03-24T13:30',
      new_location: 'Canteen',
    })
    expect(changed.text).toContain('Tue 2026-03-24 12:30 to 13:30')
    expect(calendar().require(id)).toMatchObject({ summary: 'Lunch', location: 'Canteen' })
  })

  it('changes an event at a time of day to a whole day', async () => {
    const { id } = lunch()
    const input = { event_id: id, title: 'Lunch', start: '2026-03-24T12:00' }
    await google.call('update_event', { ...input, new_start: '2026-03-24', new_end: '2026-03-24' })
    expect(calendar().require(id)).toMatchObject({
      start: { date: '2026-03-24' },
      end: { date: '2026-03-25' },
    })
    expect(calendar().require(id).start).not.toHaveProperty('dateTime')
  })

  it.each([
    [{ new_start: 'later', new_end: '2026-03-24T13:30' }, '"new_start" is not a time'],
    [
      { new_start: '2026-03-24T12:30', new_end: '2026-03-29T02:30' },
      '"new_end": 2026-03-29T02:30:00 does not exist',
    ],
    [{ new_start: '2026-03-24T12:30', new_end: '2026-03-24' }, '"new_start" and "new_end" must both be days'],
  ])('refuses %j, names the field, and changes nothing', async (times, reason) => {
    const { id } = lunch()
    const input = { event_id: id, title: 'Lunch', start: '2026-03-24T12:00', ...times }
    expect(await google.call('update_event', input)).toMatchObject({
      isError: true,
      text: expect.stringContaining(reason) as string,
    })
    expect(google.api.count('calendar.events.patch')).toBe(0)
  })

  it.each([{ title: 'Dinner' }, { start: '2026-03-24T12:01' }, { start: '2026-03-24' }])(
    'neither changes nor deletes an event with %j',
    async (wrong) => {
      const { id } = lunch()
      const input = { event_id: id, title: 'Lunch', start: '2026-03-24T12:00', ...wrong }
      expect((await google.call('update_event', { ...input, new_title: 'X' })).isError).toBe(true)
      expect((await google.call('delete_event', input)).isError).toBe(true)
      expect(google.api.count('calendar.events.patch') + google.api.count('calendar.events.delete')).toBe(0)
      expect(calendar().require(id)).toMatchObject({ summary: 'Lunch', status: 'confirmed' })
    },
  )

  it('emails all guests, who must be named, or none', async () => {
    const { id } = calendar().put({ ...lunch(), id: 'guests', attendees: invitedGuests })
    const input = { event_id: id, title: 'Lunch', start: '2026-03-24T12:00', new_location: 'Canteen' }
    for (const email_guests of [undefined, ['eve@evil.example'], ['ann@example.com', 'eve@evil.example']]) {
      const result = await google.call('update_event', { ...input, email_guests })
      expect(result.isError).toBe(true)
      expect(result.text).toContain('Google would email ann@example.com.')
    }
    expect(google.api.count('calendar.events.patch')).toBe(0)
    await google.call('update_event', { ...input, email_guests: [] })
    expect(calendar().mails).toEqual([])
    const added = { add_guests: ['cleo@example.com'], email_guests: ['Cleo@example.com', 'ann@example.com'] }
    await google.call('update_event', { ...input, ...added })
    expect(calendar().mails).toHaveLength(1)
    expect(calendar().require(id).attendees).toEqual([...invitedGuests, { email: 'cleo@example.com' }])
  })

  it('changes and deletes once when a response is lost', async () => {
    const { id } = lunch()
    const input = { event_id: id, title: 'Lunch', start: '2026-03-24T12:00' }
    google.api.fail({ method: 'calendar.events.patch', response: 503, isExecuted: true })
    expect((await google.call('update_event', { ...input, new_location: 'Canteen' })).isError).toBe(false)
    google.api.fail({ method: 'calendar.events.delete', response: 'cut', isExecuted: true })
    expect(await google.call('delete_event', input)).toEqual({
      isError: false,
      text: 'The event was deleted.',
    })
    const again = await google.call('delete_event', input)
    expect(again.isError).toBe(true)
    expect(again.text).toContain('already been deleted')
  })
})

describe('invitations', () => {
  const invited = () =>
    calendar().put({
      ...lunch(),
      id: 'invited',
      organizer: { email: 'ann@example.com' },
      attendees: invitedGuests,
    })
  const invitation = { event_id: 'invited', title: 'Lunch', start: '2026-03-24T12:00', response: 'declined' }

  it("changes the user's own response only", async () => {
    invited()
    const input = { ...invitation, organizer: 'Ann@example.com', comment: 'Sorry' }
    expect((await google.call('respond_to_invitation', input)).isError).toBe(false)
    expect(calendar().require('invited').attendees).toEqual([
      invitedGuests[0],
      { ...invitedGuests[1], responseStatus: 'declined', comment: 'Sorry' },
      invitedGuests[2],
    ])
  })

  it('does nothing when the organizer differs or the user is not invited', async () => {
    invited()
    expect(
      (await google.call('respond_to_invitation', { ...invitation, organizer: 'eve@evil.example' })).isError,
    ).toBe(true)
    calendar().put({ ...lunch(), id: 'invited' })
    expect(
      (await google.call('respond_to_invitation', { ...invitation, organizer: testAccount })).isError,
    ).toBe(true)
    expect(google.api.count('calendar.events.patch')).toBe(0)
  })
})
