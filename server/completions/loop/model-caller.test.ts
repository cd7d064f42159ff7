import { expect, it } from 'vitest'
import { requestSettings } from './model-caller.ts'

const bot = {
  model: 'm',
  max_tokens: null,
  instructions: null,
  temperature: null,
  top_p: null,
  reasoning_effort: null,
}
const context = { name: 'Ada', timeZone: 'UTC', now: Date.UTC(2026, 10, 24) }
it('contains nothing that the bot does not set', () => {
  expect(requestSettings(bot, null, context)).toEqual({ model: 'm', maxTokens: null })
})

it('contains the instructions of the project before those of the bot, with their variables replaced, and its options', () => {
  const settings = requestSettings(
    {
      ...bot,
      max_tokens: 5,
      instructions: 'Help {{user}}.',
      temperature: 0,
      top_p: 0,
      reasoning_effort: 'high',
    },
    'I am {{user}}.',
    context,
  )
  expect(settings).toMatchObject({
    maxTokens: 5,
    instructions: 'I am Ada.\n\nHelp Ada.',
    options: { temperature: 0, topP: 0, reasoningEffort: 'high' },
  })
})

it('ignores a reasoning effort that only another version knows', () => {
  expect(requestSettings({ ...bot, reasoning_effort: 'extreme' }, null, context)).not.toHaveProperty(
    'options',
  )
})
