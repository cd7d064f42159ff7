import { CompletionRequest, ToolAnswerRequest } from '@yonder/contract/completion'
import { PermissionsInput, ConnectorInput } from '@yonder/contract/connector'
import { expect, it } from 'vitest'
import type { z } from 'zod'
import { AppError } from '../lib/app-error.ts'
import { validatorCompiler } from './validate-input.ts'

function validate(schema: z.ZodType, input: unknown): { readonly value?: unknown; readonly error?: Error } {
  const result = validatorCompiler({ schema, method: 'POST', url: '/', httpPart: 'body' })(input) as object
  return result
}
function messageOf(schema: z.ZodType, input: unknown): string {
  const { error } = validate(schema, input)
  expect(error).toBeInstanceOf(AppError)
  return error?.message ?? ''
}

const answer = { chatId: 'c', messageId: 'm', questionId: 'q' }
const wrongKeys = Object.fromEntries(
  Array.from({ length: 9_000 }, (_, at) => [`k${at}`.padEnd(120, 'x'), null]),
)

it.each([
  ['wrong values', ToolAnswerRequest, { ...answer, answer: { action: 'accept', content: wrongKeys } }],
  [
    'wrong items',
    PermissionsInput,
    { tools: Array.from({ length: 400 }, () => ({ name: 1, permission: 2 })) },
  ],
  [
    'wrong parts',
    CompletionRequest,
    { chatId: 'c', botName: 'b', content: Array.from({ length: 9_000 }, () => 0) },
  ],
])('names the first problems of an input with many %s, and stops', (_what, schema, input) => {
  const message = messageOf(schema, input)
  expect(message.length).toBeLessThan(2_000)
  expect(message.split('; ').length).toBeLessThanOrEqual(6)
})

it('says only that a list is too long, with the words of a short input', () => {
  const tools = Array.from({ length: 401 }, () => 0)
  const isLong = (name: string, max: number) => `${name}: Too big: expected array to have <=${max} items`
  expect(messageOf(PermissionsInput, { tools: [...tools, ...tools] })).toBe(isLong('tools', 400))
  const names = Array.from({ length: 1_001 }, () => 'x')
  expect(messageOf(ConnectorInput, { name: 'n', url: 'u', allow_tools: names })).toBe(
    isLong('allow_tools', 1_000),
  )
})

it('counts the problems that it does not name', () => {
  const tools = Array.from({ length: 8 }, () => ({ name: 'x', permission: 'x' }))
  const message = messageOf(PermissionsInput, { tools })
  expect(message).toMatch(/^tools\.0\.permission: .*; tools\.4\.permission: .*; and 3 more$/)
})

it('accepts a large input as zod does', () => {
  const content = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`k${at}`, [`${at}`]]))
  const input = { ...answer, answer: { action: 'accept', content } }
  expect(validate(ToolAnswerRequest, { ...input, unknown: 1 })).toEqual({ value: input })
})
