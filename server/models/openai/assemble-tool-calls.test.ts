import { expect, it } from 'vitest'
import { modelLimits } from '../adapter.ts'
import type { ModelPart } from '../model.ts'
import { ReplyParts } from '../reply-parts.ts'
import { ChunkReader } from './read-chunks.ts'

type Piece = Readonly<Record<string, unknown>>

/** A piece of a call as servers send it. */
const piece = (index: number | string | undefined, id: unknown, name: unknown, text: unknown): Piece => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  function: { ...(name === undefined ? {} : { name }), ...(text === undefined ? {} : { arguments: text }) },
})

function openReader() {
  const confidential = { key: null, contents: [] }
  const url = new URL('https://a.example/')
  const parts = new ReplyParts(modelLimits)
  const reader = new ChunkReader({ url, upstream: 'a.example', confidential, source: 'here' }, parts)
  return { reader, parts }
}

function read(deltas: readonly unknown[], finishReason = 'tool_calls') {
  return readChoices(
    deltas.map((delta) => ({ delta })),
    finishReason,
  )
}

function readChoices(choices: readonly object[], finishReason = 'tool_calls') {
  const { reader, parts } = openReader()
  for (const choice of choices) reader.read({ choices: [{ index: 0, ...choice }] }, '')
  reader.read({ choices: [{ index: 0, delta: {}, finish_reason: finishReason }] }, '')
  reader.end()
  return parts.drain()
}

const callsIn = (parts: readonly ModelPart[]) =>
  parts.flatMap((part) => (part.type === 'tool_call' ? [part] : []))

const look = ['look', '{"q":1}'] as const
const other = ['other', '{"q":2}'] as const

it.each<[way: string, pieces: readonly Piece[], calls: readonly (readonly [string, string])[]]>([
  [
    'pieces by index',
    [
      piece(0, 'a', 'look', ''),
      piece(0, undefined, undefined, '{"q"'),
      piece(0, undefined, undefined, ':1}'),
    ],
    [look],
  ],
  [
    'another id in each piece',
    [piece(0, 'a1', 'look', ''), piece(0, 'a2', undefined, '{"q"'), piece(0, 'a3', undefined, ':1}')],
    [look],
  ],
  [
    'another id in each piece, without index',
    [
      piece(undefined, 'a1', 'look', ''),
      piece(undefined, 'a2', undefined, '{"q"'),
      piece(undefined, 'a3', undefined, ':1}'),
    ],
    [look],
  ],
  [
    'another id and the name in each piece',
    [piece(0, 'a1', 'look', '{'), piece(0, 'a2', 'look', '"q"'), piece(0, 'a3', 'look', ':1}')],
    [look],
  ],
  [
    'two calls whose pieces have other ids',
    [
      piece(0, 'a1', 'look', '{"q"'),
      piece(1, 'b1', 'other', '{"q"'),
      piece(0, 'a2', undefined, ':1}'),
      piece(1, 'b2', undefined, ':2}'),
    ],
    [look, other],
  ],
  ['whole calls, index always 0', [piece(0, 'a', ...look), piece(0, 'b', ...other)], [look, other]],
  ['the same whole call twice with two ids', [piece(0, 'a', ...look), piece(0, 'b', ...look)], [look, look]],
  [
    'whole calls, index and id always the same',
    [piece(0, 'a', ...look), piece(0, 'a', ...other)],
    [look, other],
  ],
  [
    'whole calls without index and id',
    [piece(undefined, undefined, ...look), piece(undefined, undefined, ...other)],
    [look, other],
  ],
  [
    'whole calls, index always 0, without arguments',
    [piece(0, 'a', 'look', ''), piece(0, 'b', 'other', '')],
    [
      ['look', '{}'],
      ['other', '{}'],
    ],
  ],
  [
    'a whole call after a broken one',
    [piece(0, 'a', 'look', '{"q"'), piece(0, 'b', ...other)],
    [['look', '{"q"'], other],
  ],
  [
    'an index that counts the pieces',
    [piece(0, 'a', 'look', '{"q"'), piece(1, 'a', undefined, ':1}')],
    [look],
  ],
  [
    'an index that counts the pieces, without id',
    [piece(0, 'a', 'look', '{"q"'), piece(1, undefined, undefined, ':1}')],
    [look],
  ],
  ['the same id for two indexes', [piece(0, 'a', ...look), piece(1, 'a', ...other)], [look, other]],
  ['null for what is not sent', [piece(0, 'a', 'look', null), piece(0, null, null, '{"q":1}')], [look]],
  ['empty text for what is not sent', [piece(0, 'a', 'look', ''), piece(0, '', '', '{"q":1}')], [look]],
  ['an object as arguments', [piece(0, 'a', 'look', { q: 1 })], [look]],
  ['a name in pieces', [piece(0, 'a', 'lo', ''), piece(0, undefined, 'ok', '{"q":1}')], [look]],
  ['a name that grows', [piece(0, 'a', 'lo', ''), piece(0, undefined, 'look', '{"q":1}')], [look]],
  ['a name in each piece', [piece(0, 'a', 'look', '{"q"'), piece(0, 'a', 'look', ':1}')], [look]],
  [
    'an id in the last piece only',
    [piece(0, undefined, 'look', '{"q"'), piece(0, 'a', undefined, ':1}')],
    [look],
  ],
  [
    'the whole arguments once more at the end',
    [piece(0, 'a', 'look', ''), piece(0, undefined, undefined, '{"q":1}'), piece(0, 'a', 'look', '{"q":1}')],
    [look],
  ],
  [
    'an empty object first',
    [
      piece(0, 'a', 'look', '{}'),
      piece(0, undefined, undefined, '{"q":'),
      piece(0, undefined, undefined, '1}'),
    ],
    [look],
  ],
  // hermes-agent#35718 (DeepSeek, Baidu Qianfan), vercel/ai#15888: the arguments so far in each piece.
  [
    'arguments that grow',
    [piece(0, 'a', 'look', '{"q'), piece(0, 'a', 'look', '{"q":'), piece(0, 'a', 'look', '{"q":1}')],
    [look],
  ],
  [
    'arguments that grow and are repeated',
    [
      piece(0, 'a', 'look', ''),
      piece(0, undefined, undefined, '{"q"'),
      piece(0, undefined, undefined, '{"q":1}'),
      piece(0, undefined, undefined, '{"q":1}'),
    ],
    [look],
  ],
  [
    'pieces that look as if they grew',
    [
      piece(0, 'a', 'look', '{"a":'),
      piece(0, undefined, undefined, '{"a":1}'),
      piece(0, undefined, undefined, '}'),
    ],
    [['look', '{"a":{"a":1}}']],
  ],
  // opencode#17339 (GLM): the whole arguments after their pieces.
  [
    'the whole arguments after some pieces',
    [piece(0, 'a', 'look', '{"q":'), piece(0, undefined, undefined, '1'), piece(0, 'a', 'look', '{"q":1}')],
    [look],
  ],
  ['an index as text', [piece('0', 'a', 'look', '{"q"'), piece('0', undefined, undefined, ':1}')], [look]],
  ['arguments encoded twice', [piece(0, 'a', 'look', '"{\\"q\\":1}"')], [look]],
  ['an id that is a number', [piece(0, 7, 'look', '{"q"'), piece(0, 7, undefined, ':1}')], [look]],
  ['fields without a function', [{ index: 0, id: 'a', name: 'look', arguments: '{"q":1}' }], [look]],
])('assembles %s', (_way, pieces, expected) => {
  const calls = callsIn(read(pieces.map((each) => ({ tool_calls: [each] }))))
  expect(calls.map(({ name, arguments: text }) => [name, text])).toEqual(expected)
  expect(new Set(calls.map((call) => call.id)).size).toBe(expected.length)
})

const message = { role: 'assistant', content: 'Let me look.', tool_calls: [piece(0, 'a', ...look)] }

it.each<[way: string, choices: readonly object[]]>([
  [
    'the last whole message',
    [{ delta: { content: 'Let me ' } }, { delta: { content: 'look.' } }, { message }],
  ],
  ['a whole message beside an empty piece', [{ delta: { content: 'Let me look.' } }, { delta: {}, message }]],
  ['pieces and the whole message', [{ delta: message }, { delta: { content: null }, message }]],
  [
    'pieces before the text',
    [{ delta: { tool_calls: message.tool_calls } }, { delta: { content: 'Let me look.' } }],
  ],
  [
    'an object instead of a list',
    [{ delta: { content: 'Let me look.', tool_calls: message.tool_calls[0] } }],
  ],
])('reads a call once from %s', (_way, choices) => {
  const parts = readChoices(choices)
  expect(callsIn(parts)).toHaveLength(1)
  expect(parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')).toBe('Let me look.')
})

it.each([
  [{ content: '', refusal: 'No.' }],
  [{ content: null, refusal: 'No.' }],
  [{ content: [{ type: 'refusal', refusal: 'No.' }] }],
  [{ content: { type: 'text', text: 'No.' } }],
])('shows the text of %j', (delta) => {
  expect(read([delta], 'stop')).toContainEqual({ type: 'text', text: 'No.' })
})

it.each([
  [{ reasoning_content: '', reasoning: 'Hm.' }],
  [{ reasoning_content: null, reasoning_text: 'Hm.' }],
  [{ thinking: 'Hm.' }],
  [{ reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] }],
])('shows the reasoning of %j', (delta) => {
  expect(read([delta, { content: 'Yes' }], 'stop')).toContainEqual({ type: 'reasoning', text: 'Hm.' })
})

it.each([
  ['MAX_TOKENS', 'length'],
  ['max_output_tokens', 'length'],
  ['model_length', 'length'],
  ['SAFETY', 'content_filter'],
  ['sensitive', 'content_filter'],
  ['STOP', 'stop'],
  ['COMPLETE', 'stop'],
])('reads the reason %s as %s', (reason, expected) => {
  expect(read([{ content: 'Hi' }], reason).at(-1)).toMatchObject({ type: 'finish', reason: expected })
})

it.each([
  { error: 'It broke.' },
  { error: { message: 'It broke.' } },
  { errors: [{ message: 'It broke.' }] },
  { detail: 'It broke.' },
  { detail: [{ msg: 'It broke.' }] },
  { object: 'error', message: 'It broke.' },
  { code: 500, message: 'It broke.' },
  { error_code: 336100, error_msg: 'It broke.' },
  { choices: [{ index: 0, delta: {}, error: { message: 'It broke.' } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { message: 'It broke.' } }] },
])('fails with the error %j', (chunk) => {
  const { reader } = openReader()
  reader.read({ choices: [{ index: 0, delta: { content: 'Hi' } }] }, '')
  expect(() => reader.read(chunk, '')).toThrow('It broke.')
})

it('reads the form before tool_calls', () => {
  const pieces = [{ name: 'look', arguments: '' }, { arguments: '{"q":' }, { arguments: '1}' }]
  const calls = callsIn(
    read(
      pieces.map((each) => ({ function_call: each })),
      'function_call',
    ),
  )
  expect(calls.map(({ name, arguments: text }) => [name, text])).toEqual([look])
})

it('finishes with calls when the server says stop', () => {
  expect(read([{ tool_calls: [piece(0, 'a', ...look)] }], 'stop').at(-1)).toEqual({
    type: 'finish',
    reason: 'tool_calls',
  })
})
