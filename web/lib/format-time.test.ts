import { expect, test } from 'vitest'
import { formatClockWithSeconds, formatMoment, formatRecent } from './format-time.ts'

const now = new Date(2026, 10, 20, 15, 0)

test('a time of today is shown as hour and minute (§2.31, §14.36)', () => {
  expect(formatRecent(new Date(2026, 10, 20, 9, 5), now)).toBe('09:05')
  expect(formatRecent(new Date(2026, 10, 20, 0, 0), now)).toBe('00:00')
})

test('an older time is shown as its day, with the year (§2.31, §14.36)', () => {
  expect(formatRecent(new Date(2026, 10, 19, 23, 59), now)).toBe('2026-11-19')
  expect(formatRecent(new Date(2025, 0, 2, 18, 30), now)).toBe('2025-01-02')
})

test('a full time has day, hour and minute, and a log has seconds (§14.36)', () => {
  const time = new Date(2026, 0, 2, 3, 4, 5)
  expect(formatMoment(time)).toBe('2026-01-02 03:04')
  expect(formatClockWithSeconds(time)).toBe('03:04:05')
})
