import type { ElicitationField } from '@yonder/contract/elicitation'
import { expect, it } from 'vitest'
import { checkValue, createAnswer, initialValue } from './field-values.ts'

const moment: ElicitationField = {
  kind: 'text',
  name: 'at',
  label: 'At',
  description: null,
  required: false,
  format: 'date-time',
  minLength: null,
  maxLength: null,
  value: null,
}

it.each([
  ['2026-11-21T10:30:00Z', /^2026-11-2\dT\d\d:\d0$/],
  ['2026-11-21T10:30:05+05:00', /^2026-11-2\dT\d\d:\d0:05$/],
])('shows the preset time %s in the format of its input, and sends the same time', (value, shown) => {
  const field = { ...moment, value }
  expect(initialValue(field)).toMatch(shown)
  expect(createAnswer([field], initialValue)).toEqual({
    action: 'accept',
    content: { at: new Date(value).toISOString() },
  })
})

it.each([
  ['date-time', 'tomorrow at noon'],
  ['date', '21 November 2026'],
] as const)('leaves a %s input empty when it cannot show %s', (format, value) => {
  expect(initialValue({ ...moment, format, value })).toBe('')
})

const amount: ElicitationField = {
  kind: 'number',
  name: 'n',
  label: 'N',
  description: null,
  required: true,
  whole: true,
  minimum: null,
  maximum: '9223372036854775807',
  value: '1234567890123456789',
}

it('sends a number with the digits that were entered', () => {
  const sent = (text: string) => createAnswer([amount], () => text).content?.['n']
  expect(initialValue(amount)).toBe('1234567890123456789')
  expect(sent('9223372036854775807')).toBe('9223372036854775807')
  expect([sent('5'), sent(' 007 '), sent('+5'), sent('.5'), sent('-.5')]).toEqual([5, 7, 5, 0.5, -0.5])
  expect(sent('0001234567890123456789')).toBe('1234567890123456789')
  expect(checkValue(amount, '9223372036854775807')).toBeUndefined()
  expect(checkValue(amount, '9223372036854775808')).toBe('Enter 9223372036854775807 or less')
  expect(checkValue(amount, '1.5')).toBe('Enter a whole number')
  expect(checkValue(amount, '0x10')).toBe('Enter a number')
})
