import { expect, it } from 'vitest'
import { daysOfRange, listDays, listMonths } from './usage-range.ts'

it.each([
  ['this-month', '2026-11-24', { from: '2026-11-01', to: '2026-11-30' }],
  ['last-month', '2026-03-31', { from: '2026-02-01', to: '2026-02-28' }],
  ['last-month', '2026-01-01', { from: '2025-12-01', to: '2025-12-31' }],
  ['twelve-months', '2024-02-29', { from: '2023-03-01', to: '2024-02-29' }],
  ['twelve-months', '2026-12-31', { from: '2026-01-01', to: '2026-12-31' }],
] as const)('of %s on %s is whole months', (range, today, days) => {
  expect(daysOfRange(range, new Date(`${today}T23:59:59`))).toEqual(days)
})

it('lists each day and month once, also where clocks change', () => {
  const days = listDays({ from: '2026-03-01', to: '2026-03-31' })
  expect(days).toHaveLength(31)
  expect(new Set(days).size).toBe(31)
  expect(listMonths(daysOfRange('twelve-months', new Date(2026, 10, 24)))).toEqual([
    '2025-12',
    ...Array.from({ length: 11 }, (_, index) => `2026-${String(index + 1).padStart(2, '0')}`),
  ])
})
