import { describe, expect, it } from 'vitest'
import { ModelFailure, refusesTools } from './failure.ts'

const isRefusal = (rejection: string) => refusesTools(new ModelFailure('upstream_error', 'no', rejection))

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
  ])('recognises "%s"', (message) => {
    expect(isRefusal(JSON.stringify({ error: { message } }).replaceAll('\\"', '"'))).toBe(true)
  })

  it.each([
    "Invalid schema for function 'weather': schema must be of type object",
    'tools.0.input_schema: JSON schema is invalid: does not support "oneOf"',
    'messages.3: tool_use ids were found without tool_result blocks immediately after',
    'This model does not support the "max_tokens" parameter',
    '',
  ])('does not match "%s"', (message) => {
    expect(isRefusal(message)).toBe(false)
  })

  it('does not match another error', () => {
    expect(refusesTools(new Error('does not support tools'))).toBe(false)
  })
})
