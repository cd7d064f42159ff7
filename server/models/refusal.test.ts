import { describe, expect, it } from 'vitest'
import { ModelFailure, toFailedPart } from './failure.ts'
import { explainRefusal } from './refusal.ts'

const tool = { name: 'look_up', description: '', inputSchema: {} }
const options = { temperature: 0.5, topP: 0.5, reasoningEffort: 'low' } as const
const request = { model: 'm', messages: [], tools: [tool], maxTokens: null, options }
const explainError = (rejection: string) =>
  explainRefusal(new ModelFailure('upstream_error', 'no', rejection), request, 'a.example')
const explain = (rejection: string) => toFailedPart(explainError(rejection))
const isRefusal = (rejection: string) => explain(rejection).code === 'tool_unavailable'

describe('a refusal of tools', () => {
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
    expect(toFailedPart(explainRefusal(new Error('no tools support'), request, ''))).toMatchObject({
      code: 'internal',
    })
  })
})

describe('a prompt that is too long', () => {
  it.each([
    [
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 10000 tokens.",
      8192,
    ],
    [
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      undefined,
    ],
    [
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.',
      272_000,
    ],
    ['prompt is too long: 213462 tokens > 200000 maximum', 200_000],
    [
      'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length',
      200_000,
    ],
    ['Input is too long for requested model.', undefined],
    ['The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
    ['The input token count is 40000 but model only supports up to 32768.', 32_768],
    [
      "'max_tokens' is too large: 4000. This model's maximum context length is 8192 tokens and your request has 7000 input tokens (4000 > 8192 - 7000).",
      8192,
    ],
    ['The decoder prompt (length 5000) is longer than the maximum model length of 4096.', 4096],
    [
      "You passed 5000 input tokens and requested 0 output tokens. However, the model's context length is only 4096 tokens.",
      4096,
    ],
    ["The input (5000 tokens) is longer than the model's context length (4096 tokens).", 4096],
    ["Requested token count exceeds the model's maximum context length of 4096 tokens.", 4096],
    ['prompt too long; exceeded max context length by 1000 tokens', undefined],
    ['the input length exceeds the context length', undefined],
    ['the request exceeds the available context size (4096 tokens), try increasing it', 4096],
    ['Requested tokens (5162) exceed context window of 512', 512],
    ['Context size has been exceeded.', undefined],
    [
      'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
      4096,
    ],
    ['The number of tokens to keep from the initial prompt is greater than the context length.', undefined],
    [
      "This model's maximum context length is 65,536 tokens. However, you requested 66000 tokens (62000 in the messages, 4000 in the completion).",
      65_536,
    ],
    [
      'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      32_768,
    ],
    ['The prompt is too long: 140000, model maximum context length: 131071', 131_071],
    ["This model's maximum prompt length is 131072 but the request contains 200000 tokens.", 131_072],
    [
      'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192',
      8192,
    ],
    [
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens',
      4097,
    ],
    ['prompt token count of 140000 exceeds the limit of 128000', 128_000],
    ['Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)', 131_072],
    ['invalid params, context window exceeds limit', undefined],
    ['<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]', 98_304],
    ['Request body too large for gpt-4o model. Max size: 8000 tokens. tokens_limit_reached', 8000],
    ['`inputs` must have less than 1024 tokens. Given: 1026', 1024],
    ['too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.', 4081],
  ])('is recognised by "%s"', (message, contextWindow) => {
    const size = contextWindow === undefined ? '' : ` (${contextWindow.toLocaleString('en')} tokens)`
    expect(explain(JSON.stringify({ error: { message } }))).toEqual({
      type: 'failed',
      code: 'context_exceeded',
      message: `a.example reported that this conversation is too long for the model${size}. Start a new chat, or choose a model with a larger context window.`,
      ...(contextWindow !== undefined && { contextWindow }),
    })
  })

  it('is recognised by a code, and its size is read from a field of its own', () => {
    const message = 'try increasing the context size or enable context shift'
    const llama = {
      code: 400,
      message,
      type: 'exceed_context_size_error',
      n_prompt_tokens: 5000,
      n_ctx: 4096,
    }
    expect(explain(JSON.stringify({ error: llama }))).toMatchObject({ contextWindow: 4096 })
    const code = { error: { message: 'Shorten it.', code: 'context_length_exceeded' } }
    expect(explain(JSON.stringify(code))).toMatchObject({ code: 'context_exceeded' })
  })

  it('is recognised in the response that a router quotes', () => {
    const raw = JSON.stringify({ error: { message: 'prompt is too long: 210000 tokens > 200000 maximum' } })
    const body = { error: { message: 'Provider returned error', code: 400, metadata: { raw } } }
    expect(explain(JSON.stringify(body))).toMatchObject({ contextWindow: 200_000 })
  })

  it('is not a field that is too long, whatever code comes with it', () => {
    const error = {
      message: 'Too long.',
      param: 'messages[2].tool_calls[0].id',
      code: 'string_above_max_length',
    }
    expect(explain(JSON.stringify({ error }))).toMatchObject({ code: 'upstream_error' })
  })

  it('is not recognised in the request that an upstream repeats', () => {
    const body = { detail: [{ loc: ['body', 'model'], msg: 'unknown', input: 'prompt is too long' }] }
    expect(explain(JSON.stringify(body))).toMatchObject({ code: 'upstream_error' })
  })

  it.each([
    'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.',
    "'max_tokens' is too large: 100000. max_new_tokens must be <= 512",
    'Image is too large: 9000000 bytes > 5000000 bytes',
    "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 83 instead.",
    "ContextWindowExceededError: context_length_exceeded: Invalid 'input[95].call_id': string too long. Expected a string with maximum length 64.",
    "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 200 instead.",
    'Request too large for model `openai/gpt-oss-20b` on tokens per minute (TPM): Limit 8000, Requested 34031, please reduce the length of the messages and try again.',
    'Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 31538. The input or output tokens must be reduced in order to run successfully.',
    'This request would exceed your organization rate limit of 30,000 input tokens per minute. The prompt is too long for it.',
    'You exceeded your current quota. The input token count exceeds the limit of 250000.',
    'request_too_large: Request exceeds the maximum size',
    'tools.0.custom.description: String should have at most 1024 characters; input is too long',
    'tools: too many tools; the prompt is too long',
    'Unable to compute the input token count.',
    'Invalid context_management field',
    'The maximum tokens you requested exceeds the model limit of 4096.',
  ])('is not recognised in "%s"', (message) => {
    expect(explain(JSON.stringify({ error: { message } }))).toMatchObject({ code: 'upstream_error' })
  })
})

describe('a limit of output tokens that is too large', () => {
  it.each([
    'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.',
    'max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for claude-3',
    "'max_tokens' or 'max_completion_tokens' is too large: 40960. This model's maximum context length is 40960 tokens and your request has 17 input tokens (40960 > 40960 - 17).",
    '`max_tokens` must be less than or equal to `8192`, the maximum value for this model',
  ])('is not called a conversation that is too long: %j', (message) => {
    const failure = new ModelFailure('upstream_error', 'no', message)
    const part = toFailedPart(explainRefusal(failure, { ...request, maxTokens: 40_960 }, 'a.example'))
    expect(part.code).toBe('upstream_error')
    expect(part.message).toContain('Lower the max tokens of this bot')
  })
})

describe('an option that the model does not support', () => {
  it.each([
    // OpenAI, Azure
    [
      'temperature',
      {
        message: "Unsupported value: 'temperature' does not support 0.5 with this model.",
        param: 'temperature',
      },
    ],
    [
      'temperature',
      { message: 'Not supported with this model.', param: 'temperature', code: 'unsupported_parameter' },
    ],
    ['topP', { message: "Unsupported parameter: 'top_p' is not supported with this model." }],
    ['reasoningEffort', { message: 'Unrecognized request argument supplied: reasoning_effort' }],
    [
      'reasoningEffort',
      { message: "Unsupported parameter: 'reasoning.effort' is not supported with this model." },
    ],
    [
      'reasoningEffort',
      { message: "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model." },
    ],
    // Anthropic
    ['temperature', { message: '`temperature` may only be set to 1 when thinking is enabled.' }],
    [
      'topP',
      { message: '`temperature` and `top_p` cannot both be specified for this model. Please use only one.' },
    ],
    ['temperature', { message: '`temperature` is deprecated for this model.' }],
    ['reasoningEffort', { message: 'adaptive thinking is not supported on this model' }],
    ['reasoningEffort', { message: 'thinking.enabled.budget_tokens: Input should be greater than 1024' }],
    ['reasoningEffort', { message: 'This model does not support the effort parameter.' }],
    ['reasoningEffort', { message: 'output_config.effort: Extra inputs are not permitted' }],
    // Google
    ['reasoningEffort', { message: 'Thinking level MINIMAL is not supported for this model.' }],
    [
      'reasoningEffort',
      { message: 'Thinking_config.include_thoughts is only enabled when thinking is enabled.' },
    ],
    [
      'reasoningEffort',
      { message: 'Unable to submit request because thinking is not supported by this model.' },
    ],
    [
      'reasoningEffort',
      { message: 'Invalid JSON payload received. Unknown name "thinkingConfig" at \'generation_config\'' },
    ],
    ['topP', { message: "Invalid value at 'generation_config.top_p'" }],
    // Ollama, DeepSeek, vLLM, OpenRouter
    ['reasoningEffort', { message: '"gemma3" does not support thinking' }],
    ['reasoningEffort', { message: 'think value "low" is not supported for this model' }],
    ['temperature', { message: 'Invalid temperature value, the valid range of temperature is [0, 2.0)' }],
    ['temperature', { message: 'temperature must be non-negative, got -1.0.' }],
    ['topP', { message: 'top_p must be in (0, 1], got 0.0.' }],
    [
      'reasoningEffort',
      {
        message:
          "[{'type': 'extra_forbidden', 'loc': ('body', 'reasoning_effort'), 'msg': 'Extra inputs are not permitted'}]",
      },
    ],
    [
      'temperature',
      {
        message: 'Provider returned error',
        metadata: { raw: '{"error":{"message":"temperature is not supported"}}' },
      },
    ],
  ])('is named: %s in %j', (option, error) => {
    expect(explainError(JSON.stringify({ error }))).toMatchObject({ name: 'RefusedOption', option })
  })

  it('is found in the place of a validation error', () => {
    const detail = [
      { type: 'extra_forbidden', loc: ['body', 'reasoning'], msg: 'Extra inputs are not permitted' },
    ]
    expect(explainError(JSON.stringify({ detail }))).toMatchObject({ option: 'reasoningEffort' })
  })

  it('is not one that the request does not set', () => {
    const error = new ModelFailure('upstream_error', 'no', 'temperature is not supported')
    const plain = { ...request, options: { topP: 0.5 } }
    expect(explainRefusal(error, plain, 'a.example')).toBe(error)
  })

  it.each([
    'messages.1.content.0: Expected `thinking` or `redacted_thinking`, but found `tool_use`.',
    'Missing required parameter: messages',
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    'bad request: {"messages":[],"temperature":0.5}',
  ])('is not recognised in "%s"', (message) => {
    expect(explain(JSON.stringify({ error: { message } }))).toMatchObject({ code: 'upstream_error' })
  })
})
