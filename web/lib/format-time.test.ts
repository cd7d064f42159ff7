import { expect, test } from 'vitest'
import { formatClockWithSeconds, formatDuration, formatMoment, formatRecent } from './format-time.ts'

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

test.each([
  [0, '0 ms'],
  [12, '12 ms'],
  [999, '999 ms'],
  [1400, '1.4 s'],
  [9949, '9.9 s'],
  [9960, '10 s'],
  [25_400, '25 s'],
  [59_600, '1 min'],
  [185_000, '3 min 5 s'],
])('formats %d ms as %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text)
})
