import { expect, it } from 'vitest'
import { buildModelRequest, requestSettings } from './model-request.ts'

const bot = {
  model: 'm',
  max_tokens: null,
  instructions: null,
  temperature: null,
  top_p: null,
  reasoning_effort: null,
}
const context = { name: 'Ada', timeZone: 'UTC', now: Date.UTC(2026, 10, 24) }
const question = {
  id: 'q',
  role: 'user',
  content: 'Hi {{user}}',
  server: null,
  arguments: null,
  call: null,
  call_state: null,
}

it('contains nothing that the bot does not set (§23.1, §23.5)', () => {
  expect(buildModelRequest(requestSettings(bot, context), [question], [])).toEqual({
    model: 'm',
    maxTokens: null,
    messages: [{ role: 'user', content: 'Hi {{user}}' }],
    tools: [],
  })
})

it('contains the instructions of the bot, with their variables replaced, and its options (§23.1, §23.2, §23.5)', () => {
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
  expect(buildModelRequest(settings, [question], [])).toMatchObject({
    maxTokens: 5,
    instructions: 'Help Ada.',
    options: { temperature: 0, topP: 0, reasoningEffort: 'high' },
  })
})

it('ignores a reasoning effort that only another version knows (§23.5)', () => {
  expect(requestSettings({ ...bot, reasoning_effort: 'extreme' }, context)).not.toHaveProperty('options')
})
