import type { ElicitationField } from '@yonder/contract/elicitation'
import { expect, it } from 'vitest'
import { createAnswer, initialValue } from './field-values.ts'

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
