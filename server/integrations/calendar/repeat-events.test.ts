import { describe, expect, it } from 'vitest'
import { eventIdOf, provideCalendar } from '../../testing/google/provide-calendar.ts'

const { google, calendar, standUp, list } = provideCalendar()

describe('repeating events', () => {
  const second = { event_id: 'standup_20260330T070000Z', title: 'Stand-up', start: '2026-03-30T09:00' }
  const shown = async () =>
    [...(await list('2026-03-23', '2026-04-14')).matchAll(/Title: (.*)\nWhen: (.*)/g)].map(
      ([, title, when]) => `${title} ${when}`,
    )

  it.each(['update_event', 'delete_event'])('%s requires a scope', async (tool) => {
    standUp()
    const result = await google.call(tool, {
      ...second,
      ...(tool === 'update_event' ? { new_title: 'X' } : {}),
    })
    expect(result.isError).toBe(true)
    expect(result.text).toContain('Choose in "scope"')
    expect(google.api.count('calendar.events.patch') + google.api.count('calendar.events.delete')).toBe(0)
  })

  it('changes one occurrence', async () => {
    standUp()
    const times = { new_start: '2026-03-31T10:00', new_end: '2026-03-31T10:15' }
    await google.call('update_event', { ...second, scope: 'this_event', ...times })
    expect(await shown()).toEqual([
      'Stand-up Mon 2026-03-23 09:00 to 09:15',
      'Stand-up Tue 2026-03-31 10:00 to 10:15',
      'Stand-up Mon 2026-04-06 09:00 to 09:15',
      'Stand-up Mon 2026-04-13 09:00 to 09:15',
    ])
  })

  it('moves a whole series to the same local time before and after a change of the clocks', async () => {
    standUp()
    const times = { new_start: '2026-03-30T08:30', new_end: '2026-03-30T09:00' }
    const moved = await google.call('update_event', { ...second, scope: 'all_events', ...times })
    expect(moved.isError).toBe(false)
    expect((await shown()).slice(0, 2)).toEqual([
      'Stand-up Mon 2026-03-23 08:30 to 09:00',
      'Stand-up Mon 2026-03-30 08:30 to 09:00',
    ])
  })

  it('moves a whole series to another day only with a new rule', async () => {
    standUp()
    const times = { new_start: '2026-03-31T09:00', new_end: '2026-03-31T09:15', scope: 'all_events' }
    const refused = await google.call('update_event', { ...second, ...times })
    expect(refused.text).toContain('new_recurrence')
    expect(google.api.count('calendar.events.patch')).toBe(0)
    await google.call('update_event', { ...second, ...times, new_recurrence: 'FREQ=WEEKLY;BYDAY=TU' })
    expect((await shown())[0]).toBe('Stand-up Tue 2026-03-24 09:00 to 09:15')
  })

  it('changes this and the following occurrences and keeps the total count', async () => {
    standUp('FREQ=WEEKLY;BYDAY=MO;COUNT=4')
    calendar().remove('standup_20260323T080000Z')
    const changed = await google.call('update_event', {
      ...second,
      scope: 'this_and_following',
      new_title: 'Weekly',
    })
    expect(changed.isError).toBe(false)
    expect(calendar().require('standup').recurrence).toEqual([
      'RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20260330T065959Z',
    ])
    expect(calendar().require(eventIdOf(changed.text)).recurrence).toEqual([
      'RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=3',
    ])
    expect(await shown()).toEqual([
      'Weekly Mon 2026-03-30 09:00 to 09:15',
      'Weekly Mon 2026-04-06 09:00 to 09:15',
      'Weekly Mon 2026-04-13 09:00 to 09:15',
    ])
  })

  const shownAfterSplit = [
    'Stand-up Mon 2026-03-23 09:00 to 09:15',
    'Weekly Mon 2026-03-30 09:00 to 09:15',
    'Weekly Mon 2026-04-06 09:00 to 09:15',
    'Weekly Mon 2026-04-13 09:00 to 09:15',
  ]
  const split = () =>
    google.call('update_event', { ...second, scope: 'this_and_following', new_title: 'Weekly' })

  it('lets later occurrences that were changed one by one follow the rule again after a split', async () => {
    standUp()
    const third = { event_id: 'standup_20260406T070000Z', title: 'Stand-up', start: '2026-04-06T09:00' }
    const moved = await google.call('update_event', {
      ...third,
      scope: 'this_event',
      new_start: '2026-04-06T15:00',
      new_end: '2026-04-06T15:15',
    })
    expect(moved.isError).toBe(false)
    expect(await shown()).toContain('Stand-up Mon 2026-04-06 15:00 to 15:15')
    expect((await split()).isError).toBe(false)
    expect(await shown()).toEqual(shownAfterSplit)
  })

  it('does not change the series when it cannot be split', async () => {
    standUp()
    google.api.fail({ method: 'calendar.events.patch', response: 500, times: 4 })
    const failed = await google.call('update_event', {
      ...second,
      scope: 'this_and_following',
      new_title: 'Weekly',
    })
    expect(failed.isError).toBe(true)
    expect(await shown()).toHaveLength(4)
    expect((await shown()).every((event) => event.startsWith('Stand-up'))).toBe(true)
  })

  it('splits a series when the response to ending it is lost', async () => {
    standUp()
    google.api.fail({ method: 'calendar.events.patch', response: 500, isExecuted: true, times: 4 })
    expect((await split()).isError).toBe(false)
    expect(await shown()).toEqual(shownAfterSplit)
  })

  it('keeps the new series when the old one may or may not have ended', async () => {
    standUp()
    google.api.fail({ method: 'calendar.events.patch', response: 500, isExecuted: true, times: 4 })
    // The first two requests read the event and its series. The later ones check whether the series has ended.
    google.api.fail({ method: 'calendar.events.get', response: 500, skipped: 2, times: 4 })
    const result = await split()
    expect(result.isError).toBe(true)
    expect(result.text).toContain('may or may not have ended')
    expect(await shown()).toHaveLength(4)
  })

  it.each([
    ['this_event', ['Mon 2026-03-23', 'Mon 2026-04-06', 'Mon 2026-04-13']],
    ['this_and_following', ['Mon 2026-03-23']],
    ['all_events', []],
  ])('deletes the occurrences of the scope %s', async (scope, remaining) => {
    standUp()
    expect((await google.call('delete_event', { ...second, scope })).isError).toBe(false)
    expect(await shown()).toEqual(remaining.map((day) => `Stand-up ${day} 09:00 to 09:15`))
  })

  it('ends a series of whole days on the day before the deleted occurrence', async () => {
    const rule = {
      recurrence: ['RRULE:FREQ=DAILY'],
      start: { date: '2026-03-23' },
      end: { date: '2026-03-24' },
    }
    calendar().put({ id: 'water', summary: 'Water', ...rule })
    const third = { event_id: 'water_20260325', title: 'Water', start: '2026-03-25' }
    await google.call('delete_event', { ...third, scope: 'this_and_following' })
    expect(calendar().require('water').recurrence).toEqual(['RRULE:FREQ=DAILY;UNTIL=20260324'])
  })

  it('creates a series from a rule', async () => {
    const rule = { title: 'Sport', start: '2026-03-24T18:00', end: '2026-03-24T19:00' }
    await google.call('create_event', { ...rule, recurrence: 'freq=weekly;byday=TU,TH;count=3' })
    expect(await shown()).toEqual([
      'Sport Tue 2026-03-24 18:00 to 19:00',
      'Sport Thu 2026-03-26 18:00 to 19:00',
      'Sport Tue 2026-03-31 18:00 to 19:00',
    ])
  })
})
