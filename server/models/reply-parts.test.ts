import { describe, expect, it } from 'vitest'
import { modelLimits } from './adapter.ts'
import { readArguments, ReplyParts } from './reply-parts.ts'

it('has content after a call alone, because a model that is called again would repeat it', () => {
  const parts = new ReplyParts(modelLimits)
  parts.addCall({ id: 'call_1', name: 'send', arguments: '{}' }, 'source', {})
  parts.drain()
  expect(parts.hasContent).toBe(true)
})

const key = 'sk-canary-0123456789'

it.each(['text', 'reasoning'] as const)('hides the key in %s that arrives in pieces', (kind) => {
  const parts = new ReplyParts(modelLimits, [key])
  const shown: string[] = []
  for (const chunk of ['You sent sk-', 'canary-01', '23456789', ', and no sk-cat.']) {
    parts.addText(kind, chunk)
    for (const part of parts.drain()) shown.push('text' in part ? part.text : part.type)
  }
  parts.endText()
  expect(shown.join('')).toBe('You sent sk-…, and no sk-cat.')
  expect(parts.drain()).toEqual([])
})

it('hides the key between tags of thinking, and shows what was held back before the text becomes reasoning', () => {
  const parts = new ReplyParts(modelLimits, [key])
  parts.addText('text', `Is it <think>x</think>${key.slice(0, 12)}`)
  parts.drain()
  parts.addText('text', `</think>${key.slice(12)} now`)
  parts.endText()
  expect(JSON.stringify(parts.drain())).not.toContain(key)
  const other = new ReplyParts(modelLimits, [key])
  other.addText('text', 'So sk-can')
  other.drain()
  other.addText('text', '\n</think>\nYes')
  other.endText()
  expect(other.drain()).toEqual([
    { type: 'text', text: 'sk-can\n' },
    { type: 'text_was_reasoning' },
    { type: 'text', text: 'Yes' },
  ])
})

it('hides the key in everything else, and keeps JSON as it is', () => {
  const parts = new ReplyParts(modelLimits, [key, null])
  parts.addModel(`m-${key}`, `p-${key}`)
  const escaped = JSON.stringify({ a: key, b: null }).replace('sk', String.raw`\u0073k`)
  parts.addCall({ id: key, name: key, arguments: escaped }, 'source', { signature: key })
  parts.add({ type: 'failed', code: 'upstream_error', message: `No ${encodeURIComponent(key)}` })
  const drained = parts.drain()
  expect(JSON.stringify(drained)).not.toContain('canary')
  expect(drained[1]).toEqual({
    type: 'tool_call',
    id: '…',
    name: '…',
    arguments: '{"a":"…","b":null}',
    note: { from: 'source', data: { signature: '…' } },
  })
})

it('shows no part of a key that the limit of a name cuts', () => {
  const parts = new ReplyParts(modelLimits, [key])
  parts.addModel(`${'m'.repeat(190)}${key}`, `${'p'.repeat(190)}${key}`)
  parts.addFinish('other', `${'d'.repeat(190)}${key}`)
  expect(JSON.stringify(parts.drain())).not.toContain(key.slice(0, 8))
})

describe('the arguments of a call', () => {
  it.each([
    ['{"id":1234567890123456789,"id":-0}', '{"id":1234567890123456789,"id":-0}'],
    ['{ "a" : 1.0, "b": 1E5,"c":[0.50,1e400 ] }', '{ "a" : 1, "b": 100000,"c":[0.5,1e400 ] }'],
    ['{"1.0":"1.0 \\" 2.0","\\\\":3.0}', '{"1.0":"1.0 \\" 2.0","\\\\":3}'],
    [
      '{"a":"\\u0000","b\\ud800":"\\ud83d\\ude00","c":"\\\\u0000"}',
      '{"a":"\uFFFD","b\uFFFD":"\\ud83d\\ude00","c":"\\\\u0000"}',
    ],
    ['"{\\"id\\":1234567890123456789}"', '{"id":1234567890123456789}'],
  ])('%j are kept, with numbers as they are sent', (sent, kept) => {
    expect(readArguments(sent)).toBe(kept)
  })
})
