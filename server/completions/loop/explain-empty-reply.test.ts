import { expect, it } from 'vitest'
import { explainEmptyReply } from './explain-empty-reply.ts'

const nothing = { hasReasoning: false, maxTokens: null }

it.each([
  [{ reason: 'stop' }, 'upstream_invalid', 'wrote nothing'],
  [{ reason: 'stop', hasReasoning: true }, 'upstream_invalid', 'only reasoning and no reply'],
  [
    { reason: 'length', maxTokens: 1_000 },
    'output_limit',
    'its limit of 1,000 tokens before it wrote anything',
  ],
  [{ reason: 'length', hasReasoning: true }, 'output_limit', 'for reasoning before it wrote a reply'],
  [
    { reason: 'content_filter' },
    'upstream_error',
    'content filter of the provider blocked the reply. Rephrase',
  ],
  [
    { reason: 'content_filter', detail: 'PROHIBITED_CONTENT' },
    'upstream_error',
    'names the reason “PROHIBITED_CONTENT”',
  ],
  [{ reason: 'content_filter', detail: 'refusal' }, 'upstream_error', 'declined to reply'],
  [{ reason: 'content_filter', detail: 'RECITATION' }, 'upstream_error', 'repeated a published text'],
  [{ reason: 'other', detail: 'LANGUAGE' }, 'upstream_error', 'does not support the language'],
  [
    { reason: 'other', detail: 'MALFORMED_FUNCTION_CALL' },
    'upstream_error',
    'tried to call a tool and failed',
  ],
  [{ reason: 'stop', detail: 'pause_turn' }, 'upstream_error', 'paused before it wrote anything'],
  [{ reason: 'length', detail: 'model_context_window_exceeded' }, 'upstream_error', 'no room for a reply'],
  [{ reason: 'other', detail: 'something new' }, 'upstream_invalid', 'names the reason “something new”'],
  [{ reason: 'tool_calls' }, 'upstream_invalid', 'announced a tool call but sent none'],
  [{ reason: 'stop', media: 'image' }, 'upstream_error', 'replied with an image and no text'],
  [{ reason: 'stop', media: 'audio' }, 'upstream_error', 'replied with sound and no text'],
] as const)('explains %j', (reply, code, text) => {
  const error = explainEmptyReply({ ...nothing, ...reply })
  expect(error.code).toBe(code)
  expect(error.message).toContain(text)
})
