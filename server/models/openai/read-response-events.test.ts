import { expect, it } from 'vitest'
import { modelLimits } from '../adapter.ts'
import { ReplyParts } from '../reply-parts.ts'
import { ResponseEventReader } from './read-response-events.ts'

type Event = Readonly<Record<string, unknown>>

function read(events: readonly Event[]) {
  const confidential = { key: null, contents: [] }
  const target = { url: new URL('https://a.example/'), upstream: 'a.example', confidential, source: 'here' }
  const received = new ReplyParts(modelLimits)
  const reader = new ResponseEventReader(target, received)
  for (const event of events) reader.read(event, '')
  reader.end()
  const parts = received.drain()
  const turned = parts.findIndex(({ type }) => type === 'text_was_reasoning')
  const join = (type: 'text' | 'reasoning') =>
    parts
      .flatMap((part, index) => {
        if (part.type !== 'text' && part.type !== 'reasoning') return []
        const shownAs = index < turned ? 'reasoning' : part.type
        return shownAs === type ? [part.text] : []
      })
      .join('')
      .trim()
  return {
    calls: parts.flatMap((part) => (part.type === 'tool_call' ? [[part.name, part.arguments]] : [])),
    text: join('text'),
    reasoning: join('reasoning'),
    end: parts.at(-1),
  }
}

const item = (id: unknown, callId: unknown, name: string, text: unknown): Event => ({
  type: 'function_call',
  ...(id !== undefined && { id }),
  ...(callId !== undefined && { call_id: callId }),
  name,
  arguments: text,
})
const event = (step: string, index: unknown, sent: Event): Event => ({
  type: `response.output_item.${step}`,
  ...(index !== undefined && { output_index: index }),
  item: sent,
})
const delta = (index: unknown, id: unknown, text: string, name = 'delta'): Event => ({
  type: `response.function_call_arguments.${name}`,
  ...(index !== undefined && { output_index: index }),
  ...(id !== undefined && { item_id: id }),
  [name === 'done' ? 'arguments' : 'delta']: text,
})
const completed = (...output: readonly Event[]): Event => ({
  type: 'response.completed',
  response: { object: 'response', status: 'completed', output },
})

const look = ['look', '{"q":1}'] as const
const other = ['other', '{"q":2}'] as const

it.each<[way: string, events: readonly Event[], calls: readonly (readonly [string, string])[]]>([
  [
    'pieces, and the whole item',
    [
      event('added', 0, item('f1', 'a', 'look', '')),
      delta(0, 'f1', '{"q":'),
      delta(0, 'f1', '1}'),
      event('done', 0, item('f1', 'a', ...look)),
      completed(item('f1', 'a', ...look)),
    ],
    [look],
  ],
  [
    'pieces without the whole item',
    [event('added', 0, item('f1', 'a', 'look', '')), delta(0, 'f1', '{"q":1}'), completed()],
    [look],
  ],
  [
    'the whole arguments in an event of their own',
    [event('added', 0, item('f1', 'a', 'look', '')), delta(0, 'f1', '{"q":1}', 'done'), completed()],
    [look],
  ],
  [
    'arguments that grow',
    [
      event('added', 0, item('f1', 'a', 'look', '')),
      delta(0, 'f1', '{"q'),
      delta(0, 'f1', '{"q":'),
      delta(0, 'f1', '{"q":1}'),
      completed(),
    ],
    [look],
  ],
  ['an object as arguments', [event('done', 0, item('f1', 'a', 'look', { q: 1 })), completed()], [look]],
  ['null as arguments', [event('done', 0, item('f1', 'a', 'look', null)), completed()], [['look', '{}']]],
  [
    'other ids of the item in each event',
    [
      event('added', 0, item('x1', 'a', 'look', '')),
      delta(0, 'x2', '{"q":1}'),
      event('done', 0, item('x3', 'a', ...look)),
      completed(item('x4', 'a', ...look)),
    ],
    [look],
  ],
  [
    'other places in the complete response',
    [event('done', 1, item('f1', 'a', ...look)), completed(item('f9', 'a', ...look))],
    [look],
  ],
  [
    'places as text',
    [
      event('added', '0', item('f1', 'a', 'look', '')),
      delta('0', undefined, '{"q":1}'),
      completed(item('f9', 'a', ...look)),
    ],
    [look],
  ],
  [
    'whole items at the same place',
    [event('done', 0, item('f1', 'a', ...look)), event('done', 0, item('f2', 'b', ...other)), completed()],
    [look, other],
  ],
  [
    'items that begin at the same place',
    [
      event('added', 0, item('f1', 'a', 'look', '')),
      delta(0, 'f1', '{"q":1}'),
      event('done', 0, item('f1', 'a', ...look)),
      event('added', 0, item('f2', 'b', 'other', '')),
      delta(0, 'f2', '{"q":2}'),
      event('done', 0, item('f2', 'b', ...other)),
      completed(item('f1', 'a', ...look), item('f2', 'b', ...other)),
    ],
    [look, other],
  ],
  ['no stream', [{ object: 'response', status: 'completed', output: [item('f1', 'a', ...look)] }], [look]],
  [
    'no place and no id',
    [
      event('done', undefined, item(undefined, 'a', ...look)),
      event('done', undefined, item(undefined, 'b', ...other)),
      completed(),
    ],
    [look, other],
  ],
])('reads calls from %s', (_way, events, calls) => {
  expect(read(events).calls).toEqual(calls)
})

const text = (chunk: string): Event => ({ type: 'response.output_text.delta', output_index: 0, delta: chunk })
const message = (content: unknown): Event => ({ type: 'message', role: 'assistant', content })

it.each<[way: string, events: readonly Event[]]>([
  ['tags', [text('<thi'), text('nk>Hm.</think>\n\nYes'), completed()]],
  ['a closing tag', [text('Hm.\n</think>\n\n'), text('Yes'), completed()]],
  [
    'tags in the whole response',
    [completed(message([{ type: 'output_text', text: '<think>Hm.</think>Yes' }]))],
  ],
  [
    'text as the content',
    [completed({ type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Hm.' }] }, message('Yes'))],
  ],
  [
    'whole texts',
    [
      { type: 'response.reasoning_summary_text.done', text: 'Hm.' },
      { type: 'response.output_text.done', text: 'Yes' },
      completed(),
    ],
  ],
  [
    'the older name of reasoning',
    [{ type: 'response.reasoning.delta', delta: 'Hm.' }, text('Yes'), completed()],
  ],
])('tells thinking from text by %s', (_way, events) => {
  const { reasoning, text: shown, end } = read(events)
  expect([shown, end]).toEqual(['Yes', { type: 'finish', reason: 'stop' }])
  expect(reasoning).toBe('Hm.')
})

it.each([
  { type: 'error', message: 'It broke.' },
  { type: 'error', error: { message: 'It broke.' } },
  { error: 'It broke.' },
  { detail: 'It broke.' },
  { type: 'response.failed', response: { status: 'failed', error: { message: 'It broke.' } } },
  { type: 'response.error', error: { message: 'It broke.' } },
])('fails with the error %j', (sent) => {
  expect(() => read([text('Hi'), sent])).toThrow('It broke.')
})
