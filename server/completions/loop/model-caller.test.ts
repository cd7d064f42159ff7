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
  expect(requestSettings(bot, context)).toEqual({ model: 'm', maxTokens: null })
})

it('contains the instructions of the bot, with their variables replaced, and its options', () => {
  const settings = requestSettings(
    {
      ...bot,
      max_tokens: 5,
      instructions: 'Help {{user}}.',
      temperature: 0,
      top_p: 0,
      reasoning_effort: 'high',
    },
    context,
  )
  expect(settings).toMatchObject({
    maxTokens: 5,
    instructions: 'Help Ada.',
    options: { temperature: 0, topP: 0, reasoningEffort: 'high' },
  })
})

it('ignores a reasoning effort that only another version knows', () => {
  expect(requestSettings({ ...bot, reasoning_effort: 'extreme' }, context)).not.toHaveProperty('options')
})
