import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  formatBytes,
  formatCost,
  formatCosts,
  formatCount,
  formatLimit,
  formatShortCount,
} from './format-usage.ts'

it.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1k'],
  [12_345, '12.3k'],
  [999_949, '999.9k'],
  [999_950, '1M'],
  [1_250_000, '1.3M'],
  [9_007_199_254_740_991, '9,007,199,254.7M'],
])('shortens %d to %s', (count, text) => {
  expect(formatShortCount(count)).toBe(text)
})

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_000, '1.0 kB'],
  [2_512, '2.5 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1.0 MB'],
  [12_345_678, '12.3 MB'],
])('formats %d bytes as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

it('formats a limit without a decimal when it is a whole number', () => {
  expect([500, 25_000_000, 26_200_000].map(formatLimit)).toEqual(['500 B', '25 MB', '26.2 MB'])
})

it('changes to the next unit before a number is rounded up to it', () => {
  const factors: Readonly<Record<string, number>> = { '': 1, B: 1, k: 1e3, kB: 1e3, M: 1e6, MB: 1e6, GB: 1e9 }
  const aroundLimit = fc
    .tuple(fc.constantFrom(1_000, 1_000_000, 1_000_000_000), fc.integer({ min: -100, max: 100 }))
    .map(([limit, distance]) => limit + distance)
  const number = fc.oneof(fc.nat({ max: 2_000_000_000 }), aroundLimit)
  fc.assert(
    fc.property(number, fc.constantFrom(formatShortCount, formatBytes), (value, format) => {
      const [, digits = '', unit = ''] = /^([\d,.]+) ?(\w*)$/.exec(format(value)) ?? []
      const shown = Number(digits.replaceAll(',', ''))
      const factor = factors[unit] ?? NaN
      if (factor < 1e6) expect(shown).toBeLessThan(1_000)
      expect(Math.abs(shown * factor - value)).toBeLessThanOrEqual(factor > 1 ? factor / 20 + 0.001 : 0)
    }),
  )
})

it.each([
  ['USD', '0', '$0.00'],
  ['USD', '0.0045', '$0.0045'],
  ['USD', '0.000000001', '$0.000000001'],
  ['USD', '0.123456789', '$0.12'],
  ['USD', '0.0994', '$0.099'],
  ['USD', '0.0995', '$0.10'],
  ['USD', '0.1', '$0.10'],
  ['USD', '12.345', '$12.35'],
  ['EUR', '1234.5', '€1,234.50'],
  ['JPY', '120', '¥120'],
])('formats %s %s as %s', (currency, amount, text) => {
  expect(formatCost({ currency, amount })).toBe(text)
})

it('never adds currencies, and says when nothing is known', () => {
  expect(
    formatCosts([
      { currency: 'EUR', amount: '1' },
      { currency: 'USD', amount: '2' },
    ]),
  ).toBe('€1.00 + $2.00')
  expect(formatCosts([])).toBe('unknown')
  expect(formatCount(1_234_567)).toBe('1,234,567')
})
