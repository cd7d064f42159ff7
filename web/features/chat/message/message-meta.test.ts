import { expect, test } from 'vitest'
import { formatMessageTime } from './message-meta.tsx'

const now = new Date(2026, 10, 20, 18, 30).getTime()

test('shows hour and minute for a message of today (§2.31)', () => {
  expect(formatMessageTime(new Date(2026, 10, 20, 9, 5).getTime(), now)).toBe('09:05')
  expect(formatMessageTime(new Date(2026, 10, 20, 0, 0).getTime(), now)).toBe('00:00')
})

test('shows the ISO date for any other day (§2.31)', () => {
  expect(formatMessageTime(new Date(2026, 10, 19, 23, 59).getTime(), now)).toBe('2026-11-19')
  expect(formatMessageTime(new Date(2025, 0, 2, 18, 30).getTime(), now)).toBe('2025-01-02')
})

test('shows no time when the timestamp is 0 (§2.31)', () => {
  expect(formatMessageTime(0, now)).toBeUndefined()
})
