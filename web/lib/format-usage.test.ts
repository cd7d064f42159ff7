import { expect, it } from 'vitest'
import { formatCost, formatCosts, formatCount, formatShortCount } from './format-usage.ts'

it.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1k'],
  [12_345, '12.3k'],
  [999_949, '999.9k'],
  [999_950, '1M'],
  [1_250_000, '1.3M'],
  [9_007_199_254_740_991, '9,007,199,254.7M'],
])('shortens %d to %s (§25.15)', (count, text) => {
  expect(formatShortCount(count)).toBe(text)
})

it.each([
  ['USD', '0', '$0.00'],
  ['USD', '0.0045', '$0.0045'],
  ['USD', '0.000000001', '$0.000000001'],
  ['USD', '0.123456789', '$0.12'],
  ['USD', '0.1', '$0.10'],
  ['USD', '12.345', '$12.35'],
  ['EUR', '1234.5', '€1,234.50'],
  ['JPY', '120', '¥120'],
])('formats %s %s as %s (§25.15)', (currency, amount, text) => {
  expect(formatCost({ currency, amount })).toBe(text)
})

it('never adds currencies, and says when nothing is known (§25.4, §25.12)', () => {
  expect(
    formatCosts([
      { currency: 'EUR', amount: '1' },
      { currency: 'USD', amount: '2' },
    ]),
  ).toBe('€1.00 + $2.00')
  expect(formatCosts([])).toBe('unknown')
  expect(formatCount(1_234_567)).toBe('1,234,567')
})
