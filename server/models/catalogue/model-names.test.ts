import { expect, it } from 'vitest'
import { isFreeVariant, listModelNames, withoutFreeVariant } from './model-names.ts'

it.each([
  ['claude-sonnet-4-5', ['claude-sonnet-4-5']],
  ['Claude-Sonnet-4-5-20250929', ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5']],
  ['claude-sonnet-4-5@20250929', ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5']],
  ['gpt-5-2025-08-07', ['gpt-5-2025-08-07', 'gpt-5']],
  ['claude-3-5-haiku-latest', ['claude-3-5-haiku-latest', 'claude-3-5-haiku']],
  ['anthropic/claude-sonnet-4.5', ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4.5']],
  [
    'anthropic/claude-sonnet-4.5:beta',
    ['anthropic/claude-sonnet-4.5:beta', 'anthropic/claude-sonnet-4.5', 'claude-sonnet-4.5'],
  ],
  ['models/gemini-2.5-pro', ['models/gemini-2.5-pro', 'gemini-2.5-pro']],
  ['accounts/fireworks/models/deepseek-v3', ['accounts/fireworks/models/deepseek-v3', 'deepseek-v3']],
  ['x/y:free', ['x/y:free', 'y:free']],
  ['llama3.1:8b', ['llama3.1:8b']],
  [' / ', ['/']],
  ['', []],
])('lists the names of %j', (model, names) => {
  expect(listModelNames(model)).toEqual(names)
})

it('never takes a free variant for the model that costs', () => {
  expect(listModelNames('x/y:free')).not.toContain('x/y')
  expect(isFreeVariant('X/Y:FREE')).toBe(true)
  expect(isFreeVariant('x/free')).toBe(false)
  expect(withoutFreeVariant('x/y:free')).toBe('x/y')
})
