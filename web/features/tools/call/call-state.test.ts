import { expect, it } from 'vitest'
import { formatDuration } from './call-state.ts'

it.each([
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
