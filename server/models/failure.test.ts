import { describe, expect, it } from 'vitest'
import { ModelFailure, refusesTools } from './failure.ts'

const says = (rejection: string) => refusesTools(new ModelFailure('upstream_error', 'no', rejection))

describe('refusesTools', () => {
  it.each([
    'registry.ollama.ai/library/gemma:2b does not support tools',
    'Function calling is not enabled for models/gemma-3-27b-it',
    'No endpoints found that support tool use. To learn more about provider routing, visit the documentation.',
    '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    'tools param requires --jinja flag',
    "'claude-2.1' does not support tool use.",
    'Tool calling is not supported for this model.',
    'Unrecognized request argument supplied: tools',
    "Unsupported parameter: 'tools' is not supported with this model.",
    'This model does not support function calling.',
  ])('knows "%s"', (message) => {
    expect(says(JSON.stringify({ error: { message } }).replaceAll('\\"', '"'))).toBe(true)
  })

  it.each([
    "Invalid schema for function 'weather': schema must be of type object",
    'tools.0.input_schema: JSON schema is invalid: does not support "oneOf"',
    'messages.3: tool_use ids were found without tool_result blocks immediately after',
    'This model does not support the "max_tokens" parameter',
    '',
  ])('takes "%s" for what it is', (message) => {
    expect(says(message)).toBe(false)
  })

  it('takes nothing else for one', () => {
    expect(refusesTools(new Error('does not support tools'))).toBe(false)
  })
})
