import type { ApiType } from '@yonder/contract/bot'

export interface WireUsage {
  readonly input: number
  readonly output: number
  /** Tokens of `input` that were read from the cache. */
  readonly cached?: number
  /** Tokens of `input` that were written to the cache. Only Anthropic reports them. */
  readonly cacheWrite?: number
  /** Tokens of `output` that were reasoning. */
  readonly reasoning?: number
}

/** The stream of one wire format. Each method returns complete events. */
export interface WireShape {
  readonly apiType: ApiType
  start(model: string): string
  text(text: string): string
  reasoning(text: string): string
  /** `text` contains the arguments, and need not be valid JSON. */
  toolCall(id: string, name: string, text: string): string
  /** Thinking, and a call that the upstream expects back with this signature. */
  signedCall(name: string, signature: string): string
  /** An error in the middle of a stream. */
  error(message: string): string
  finish(reason: 'stop' | 'length' | 'tool_calls', usage: WireUsage): string
}

function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

function openaiChunk(delta: object, reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: reason }]
  return data({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'wire-model', choices })
}

const openaiShape: WireShape = {
  apiType: 'openai',
  start: () => openaiChunk({ role: 'assistant', content: '' }),
  text: (content) => openaiChunk({ content }),
  reasoning: (text) => openaiChunk({ reasoning_content: text }),
  toolCall: (id, name, text) =>
    openaiChunk({ tool_calls: [{ index: 0, id, type: 'function', function: { name, arguments: '' } }] }) +
    openaiChunk({ tool_calls: [{ index: 0, function: { arguments: text.slice(0, 3) } }] }) +
    openaiChunk({ tool_calls: [{ index: 0, function: { arguments: text.slice(3) } }] }),
  signedCall: (name, signature) =>
    openaiChunk({ reasoning_content: `hm, ${signature}` }) +
    openaiChunk({
      tool_calls: [
        {
          index: 0,
          id: 'c1',
          type: 'function',
          function: { name, arguments: '{}' },
          extra_content: { google: { thought_signature: signature } },
        },
      ],
    }),
  error: (message) => data({ error: { message, type: 'server_error', code: null } }),
  finish: (reason, usage) =>
    openaiChunk({}, reason) +
    data({
      object: 'chat.completion.chunk',
      model: 'wire-model',
      choices: [],
      usage: {
        prompt_tokens: usage.input,
        completion_tokens: usage.output,
        prompt_tokens_details: { cached_tokens: usage.cached },
        completion_tokens_details: { reasoning_tokens: usage.reasoning },
      },
    }) +
    'data: [DONE]\n\n',
}

function named(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${event.type}\n${data(event)}`
}

function block(start: object, deltas: readonly object[]): string {
  return [
    named({ type: 'content_block_start', index: 0, content_block: start }),
    ...deltas.map((delta) => named({ type: 'content_block_delta', index: 0, delta })),
    named({ type: 'content_block_stop', index: 0 }),
  ].join('')
}

const anthropicShape: WireShape = {
  apiType: 'anthropic',
  start: (model) =>
    named({
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 11, output_tokens: 1 },
      },
    }),
  text: (text) => block({ type: 'text', text: '' }, [{ type: 'text_delta', text }]),
  reasoning: (thinking) =>
    block({ type: 'thinking', thinking: '' }, [
      { type: 'thinking_delta', thinking },
      { type: 'signature_delta', signature: 'c2lnbmF0dXJl' },
    ]),
  toolCall: (id, name, text) =>
    block({ type: 'tool_use', id, name, input: {} }, [
      { type: 'input_json_delta', partial_json: text.slice(0, 3) },
      { type: 'input_json_delta', partial_json: text.slice(3) },
    ]),
  signedCall: (name, signature) =>
    block({ type: 'thinking', thinking: '' }, [
      { type: 'thinking_delta', thinking: 'hm' },
      { type: 'signature_delta', signature },
    ]) + anthropicShape.toolCall('c1', name, '{}'),
  error: (message) => named({ type: 'error', error: { type: 'overloaded_error', message } }),
  finish: (reason, usage) =>
    named({
      type: 'message_delta',
      delta: {
        stop_reason: { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use' }[reason],
        stop_sequence: null,
      },
      // Anthropic counts cached tokens separately.
      usage: {
        input_tokens: usage.input - (usage.cached ?? 0) - (usage.cacheWrite ?? 0),
        cache_read_input_tokens: usage.cached,
        cache_creation_input_tokens: usage.cacheWrite,
        output_tokens: usage.output,
        ...(usage.reasoning === undefined
          ? {}
          : { output_tokens_details: { thinking_tokens: usage.reasoning } }),
      },
    }) + named({ type: 'message_stop' }),
}

const responseItem = { reasoning: 0, message: 1, call: 2 }

function responsesDelta(type: string, item: keyof typeof responseItem, delta: string): string {
  return named({
    type,
    item_id: item,
    output_index: responseItem[item],
    content_index: 0,
    summary_index: 0,
    delta,
  })
}

function responsesItem(step: 'added' | 'done', key: keyof typeof responseItem, item: object): string {
  return named({
    type: `response.output_item.${step}`,
    output_index: responseItem[key],
    item: { id: key, ...item },
  })
}

const responsesShape: WireShape = {
  apiType: 'openai-responses',
  start: (model) => named({ type: 'response.created', response: { object: 'response', model, output: [] } }),
  text: (text) => responsesDelta('response.output_text.delta', 'message', text),
  reasoning: (text) => responsesDelta('response.reasoning_summary_text.delta', 'reasoning', text),
  toolCall: (callId, name, text) =>
    responsesItem('added', 'call', { type: 'function_call', call_id: callId, name, arguments: '' }) +
    responsesDelta('response.function_call_arguments.delta', 'call', text.slice(0, 3)) +
    responsesDelta('response.function_call_arguments.delta', 'call', text.slice(3)) +
    responsesItem('done', 'call', { type: 'function_call', call_id: callId, name, arguments: text }),
  signedCall: (name, signature) =>
    responsesItem('done', 'reasoning', { type: 'reasoning', summary: [], encrypted_content: signature }) +
    responsesShape.toolCall('c1', name, '{}'),
  error: (message) => named({ type: 'error', code: 'server_error', message, param: null }),
  finish: (reason, usage) => {
    const status = reason === 'length' ? 'incomplete' : 'completed'
    const details = reason === 'length' ? { reason: 'max_output_tokens' } : null
    const response = {
      object: 'response',
      model: 'wire-model',
      status,
      error: null,
      incomplete_details: details,
      output: [],
      usage: {
        input_tokens: usage.input,
        input_tokens_details: { cached_tokens: usage.cached },
        output_tokens: usage.output,
        output_tokens_details: { reasoning_tokens: usage.reasoning },
      },
    }
    return named({ type: `response.${status}`, response })
  },
}

function candidate(parts: readonly object[], more: object = {}, top: object = {}): string {
  return data({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    modelVersion: 'wire-model',
    ...top,
  })
}

const googleShape: WireShape = {
  apiType: 'google',
  start: () => candidate([]),
  text: (text) => candidate([{ text }]),
  reasoning: (text) => candidate([{ text, thought: true }]),
  // Without `JSON.stringify`, because the arguments need not be valid JSON.
  toolCall: (_id, name, text) =>
    `data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"${name}","args":${text}}}]},"index":0}]}\n\n`,
  signedCall: (name, signature) =>
    candidate([{ text: 'hm', thought: true }]) +
    candidate([{ functionCall: { name, args: {} }, thoughtSignature: signature }]),
  error: (message) => data({ error: { code: 503, message, status: 'UNAVAILABLE' } }),
  finish: (reason, usage) =>
    candidate(
      [],
      { finishReason: reason === 'length' ? 'MAX_TOKENS' : 'STOP' },
      {
        usageMetadata: {
          promptTokenCount: usage.input,
          cachedContentTokenCount: usage.cached,
          // Google counts thoughts separately.
          candidatesTokenCount: usage.output - (usage.reasoning ?? 0),
          thoughtsTokenCount: usage.reasoning,
        },
      },
    ),
}

/** The wire formats of models. */
export const wireShapes: Readonly<Record<ApiType, WireShape>> = {
  openai: openaiShape,
  'openai-responses': responsesShape,
  anthropic: anthropicShape,
  google: googleShape,
}

/** The format of a request's path; `undefined` for any other path. */
export function findWireShape(url: string): WireShape | undefined {
  const path = url.split('?')[0] ?? ''
  if (path.endsWith('/chat/completions')) return openaiShape
  if (path.endsWith('/responses')) return responsesShape
  if (path.endsWith('/messages')) return anthropicShape
  return path.endsWith(':streamGenerateContent') ? googleShape : undefined
}
