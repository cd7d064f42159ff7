import { act, renderHook } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { groupByTime, useToday } from './time-groups.ts'

afterEach(() => {
  vi.useRealTimers()
})

const labelsOf = (times: readonly Date[], today: Date) =>
  groupByTime(
    times.map((time) => ({ update_time: time.toISOString() })),
    today,
  ).map(({ label, rows }) => `${label}: ${rows.length}`)

test('groups chats by the days and months of the time zone of the browser', () => {
  const today = new Date(2026, 10, 29, 14)
  const times = [
    new Date(2026, 10, 30, 1), // The clock of the server may be ahead.
    new Date(2026, 10, 29, 0),
    new Date(2026, 10, 28, 23, 59),
    new Date(2026, 10, 28),
    new Date(2026, 10, 27, 23, 59),
    new Date(2026, 10, 22),
    new Date(2026, 10, 21, 23, 59),
    new Date(2026, 9, 30),
    new Date(2026, 9, 29, 23),
    new Date(2026, 9, 1),
    new Date(2026, 0, 31),
    new Date(2025, 9, 31),
    new Date(2025, 9, 1),
    new Date(1999, 11, 31),
  ]
  expect(labelsOf(times, today)).toEqual([
    'Today: 2',
    'Yesterday: 2',
    'Previous 7 days: 2',
    'Previous 30 days: 2',
    'October: 2',
    'January: 1',
    'October 2025: 2',
    'December 1999: 1',
  ])
  expect(labelsOf([], today)).toEqual([])
})

test('the day changes at midnight, and when a computer wakes after it', () => {
  vi.useFakeTimers({ now: new Date(2026, 9, 24, 23, 59, 59) })
  const { result } = renderHook(useToday)
  expect(result.current).toEqual(new Date(2026, 9, 24))
  act(() => void vi.advanceTimersByTime(1000))
  expect(result.current).toEqual(new Date(2026, 9, 25))
  vi.setSystemTime(new Date(2026, 9, 28, 7))
  act(() => void document.dispatchEvent(new Event('visibilitychange')))
  expect(result.current).toEqual(new Date(2026, 9, 28))
})
