import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatClockWithSeconds, formatDuration, formatMoment, formatRecent } from './format-time.ts'

const now = new Date(2026, 10, 20, 15, 0)

test('a time of today is shown as hour and minute (§2.31)', () => {
  expect(formatRecent(new Date(2026, 10, 20, 9, 5), now)).toBe('09:05')
  expect(formatRecent(new Date(2026, 10, 20, 0, 0), now)).toBe('00:00')
})

test('an older time is shown as its day, with the year (§2.31)', () => {
  expect(formatRecent(new Date(2026, 10, 19, 23, 59), now)).toBe('2026-11-19')
  expect(formatRecent(new Date(2025, 0, 2, 18, 30), now)).toBe('2025-01-02')
})

test('a full time has day, hour and minute, and a log has seconds', () => {
  const time = new Date(2026, 0, 2, 3, 4, 5)
  expect(formatMoment(time)).toBe('2026-01-02 03:04')
  expect(formatClockWithSeconds(time)).toBe('03:04:05')
})

test.each([
  [0, '0 ms'],
  [12, '12 ms'],
  [999, '999 ms'],
  [999.6, '1.0 s'],
  [1400, '1.4 s'],
  [9949, '9.9 s'],
  [9960, '10 s'],
  [25_400, '25 s'],
  [59_600, '1 min'],
  [185_000, '3 min 5 s'],
])('formats %d ms as %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text)
})

test('a duration is never rounded up to a number that is the next unit', () => {
  const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, min: 60_000 }
  const aroundLimit = fc
    .tuple(
      fc.constantFrom(1_000, 10_000, 60_000, 120_000),
      fc.double({ min: -0.001, max: 0.001, noNaN: true }),
    )
    .map(([limit, part]) => limit * (1 + part))
  const duration = fc.oneof(fc.double({ min: 0, max: 10_000_000, noNaN: true }), aroundLimit)
  fc.assert(
    fc.property(duration, (milliseconds) => {
      const parts = [...formatDuration(milliseconds).matchAll(/([\d.]+) (ms|s|min)/g)].map(
        ([, digits, unit = '']) => ({ shown: Number(digits), unit }),
      )
      for (const { shown, unit } of parts) {
        if (unit === 'ms') expect(shown).toBeLessThan(1_000)
        if (unit === 's') expect(shown).toBeLessThan(60)
      }
      const sum = parts.reduce((total, { shown, unit }) => total + shown * (unitMs[unit] ?? NaN), 0)
      expect(Math.abs(sum - milliseconds)).toBeLessThanOrEqual(milliseconds < 999.5 ? 0.5 : 500.001)
    }),
  )
})
