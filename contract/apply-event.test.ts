import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyEvent, emptyRun, type RunState } from './apply-event.ts'
import { CompletionEvent, type RunEvent, type UnnumberedEvent } from './completion.ts'
import type { Message } from './message.ts'
import { wireMessage, wireReply } from './testing/messages.ts'

const question = wireMessage({ id: 'q', content: 'Why?' })
const reply = wireReply({ id: 'a', parent_id: 'q' })
const started: UnnumberedEvent = { type: 'started', user_message: question, assistant_message: reply }
const text = (content: string): UnnumberedEvent => ({ type: 'text', choices: [{ delta: { content } }] })

const anyText = fc.string({ unit: 'grapheme', maxLength: 12 })
const anyBody: fc.Arbitrary<UnnumberedEvent> = fc.oneof(
  anyText.map(text),
  anyText.map((reasoning_content): UnnumberedEvent => ({
    type: 'reasoning',
    choices: [{ delta: { reasoning_content } }],
  })),
  anyText.map((model): UnnumberedEvent => ({ type: 'model', model })),
  fc
    .tuple(anyText, anyText)
    .map(([model, provider]): UnnumberedEvent => ({ type: 'model', model, provider })),
  fc.nat().map((count): UnnumberedEvent => ({
    type: 'usage',
    usage: { input_tokens: count, output_tokens: null },
  })),
  anyText.map((tool): UnnumberedEvent => ({
    type: 'tool_call',
    message_id: 'a',
    server: 's',
    tool,
    arguments: '{}',
    plainContent: '',
    call: { state: 'running' },
  })),
  anyText.map((message): UnnumberedEvent => ({ type: 'mcp_status', status: 'info', server: 's', message })),
  anyText.map((message): UnnumberedEvent => ({ type: 'error', error: { code: 'upstream_error', message } })),
)
const anyEnd = fc
  .constantFrom('complete', 'stopped', 'failed', 'interrupted')
  .map((status): UnnumberedEvent => ({ type: 'ended', status }) as const)

/** All events of a run as in its log: numbered from 1, without gaps. */
const anyRun = fc
  .tuple(fc.array(anyBody, { maxLength: 20 }), anyEnd)
  .map(([bodies, end]) => numbered([started, ...bodies, end]))

function numbered(events: readonly UnnumberedEvent[]): RunEvent[] {
  return events.map((event, index) => ({ ...event, seq: index + 1 }))
}

const fold = (events: readonly RunEvent[], from: RunState = emptyRun) => events.reduce(applyEvent, from)
const replyOf = (run: RunState) => run.messages.at(-1)!

describe('any run', () => {
  it('does not change when earlier events are applied again', () => {
    fc.assert(
      fc.property(anyRun, fc.nat(), (events, from) => {
        const run = fold(events)
        expect(fold(events.slice(from % events.length), run)).toBe(run)
      }),
    )
  })

  it('is the same when events are applied twice or out of order', () => {
    fc.assert(
      fc.property(anyRun, fc.array(fc.nat(), { maxLength: 20 }), (events, echoes) => {
        const noisy = events.flatMap((event, index) => [
          event,
          ...echoes.map((echo) => events[echo % (index + 1)]!),
        ])
        expect(fold(noisy)).toEqual(fold(events))
      }),
    )
  })

  it('is the same when it is continued from a serialized state', () => {
    fc.assert(
      fc.property(anyRun, fc.nat(), (events, cut) => {
        const at = cut % events.length
        // The page receives the state as JSON.
        const partial = JSON.parse(JSON.stringify(fold(events.slice(0, at)))) as RunState
        expect(fold(events, partial)).toEqual(fold(events))
      }),
    )
  })

  it('does not modify its arguments', () => {
    fc.assert(
      fc.property(anyRun, (events) => {
        let run: RunState = deepFreeze({ ...emptyRun })
        for (const event of deepFreeze(events)) run = deepFreeze(applyEvent(run, event))
        expect(run.seq).toBe(events.length)
      }),
    )
  })

  it('keeps the user message, and every message that an event does not change, as the same object', () => {
    fc.assert(
      fc.property(anyRun, (events) => {
        let run = emptyRun
        for (const event of events) {
          const next = applyEvent(run, event)
          if (event.type !== 'started') expect(next.messages[0]).toBe(run.messages[0])
          if (event.type === 'mcp_status') expect(next.messages).toBe(run.messages)
          run = next
        }
      }),
    )
  })

  it('has its text so far as reasoning after a closing tag has shown it', () => {
    const thought: UnnumberedEvent = { type: 'reasoning', choices: [{ delta: { reasoning_content: 'a' } }] }
    const run = fold(numbered([started, thought, text('b'), { type: 'text_was_reasoning' }, text('c')]))
    expect(replyOf(run)).toMatchObject({ reasoning: 'ab', content: 'c' })
  })

  it('contains all its text, however the text was split into events', () => {
    fc.assert(
      fc.property(fc.array(anyText), (pieces) => {
        const cut = fold(numbered([started, ...pieces.map(text)]))
        const merged = fold(numbered([started, text(pieces.join(''))]))
        expect(replyOf(cut).content).toBe(pieces.join(''))
        expect(replyOf(cut)).toEqual(replyOf(merged))
      }),
    )
  })

  it('consists of events that serialize and parse without a change', () => {
    fc.assert(
      fc.property(anyRun, (events) => {
        expect(events.map((event) => CompletionEvent.parse(JSON.parse(JSON.stringify(event))))).toEqual(
          events,
        )
      }),
    )
  })
})

it('starts with the user message and an empty reply', () => {
  const run = fold(numbered([started]))
  expect(run).toEqual({ seq: 1, status: 'running', messages: [question, reply] })
})

it('applies each event to the reply (§7.34, §7.35)', () => {
  const run = fold(
    numbered([
      started,
      { type: 'model', model: 'm-1', provider: 'p' },
      { type: 'reasoning', choices: [{ delta: { reasoning_content: 'Hm' } }] },
      { type: 'reasoning', choices: [{ delta: { reasoning_content: 'm.' } }] },
      text('Be'),
      text('cause.'),
      { type: 'usage', usage: { input_tokens: 3, output_tokens: 2 } },
      { type: 'ended', status: 'complete', finish: 'length' },
    ]),
  )
  expect(run.status).toBe('complete')
  expect(replyOf(run)).toEqual({
    ...reply,
    model: 'm-1',
    provider: 'p',
    reasoning: 'Hmm.',
    content: 'Because.',
    usage: { input_tokens: 3, output_tokens: 2 },
    status: 'complete',
    finish: 'length',
  })
})

describe('a tool call', () => {
  const called: UnnumberedEvent = {
    type: 'tool_call',
    message_id: 'a',
    server: 's',
    tool: 't',
    arguments: '{"x":1}',
    plainContent: 'Let me see.',
    call: { state: 'running' },
  }
  const result: Message = { ...question, id: 'r', parent_id: 'a', content: '5', server: 's' }
  const next: Message = { ...reply, id: 'b', parent_id: 'r' }
  const elicitation = { id: 'ask', message: 'Which one?', fields: [] }

  it('completes the reply and is stored on it (§7.36)', () => {
    const waiting = { ...called, call: { state: 'waiting', title: 'The tool' } } as const
    const run = fold(numbered([started, text('Let me see.'), waiting, { type: 'ended', status: 'complete' }]))
    expect(replyOf(run)).toMatchObject({
      content: 'Let me see.',
      status: 'complete',
      server: 's',
      tool: 't',
      arguments: '{"x":1}',
      call: { state: 'waiting', title: 'The tool' },
    })
  })

  it('shows its progress and its elicitation until it is answered', () => {
    const events: UnnumberedEvent[] = [
      started,
      called,
      { type: 'tool_progress', message_id: 'a', progress: { progress: 1, total: 2 } },
      { type: 'tool_question', message_id: 'a', question: elicitation },
    ]
    const asking = fold(numbered(events))
    expect(replyOf(asking).call).toEqual({
      state: 'running',
      progress: { progress: 1, total: 2 },
      question: elicitation,
    })
    events.push({ type: 'tool_question', message_id: 'a', question: null })
    expect(replyOf(fold(numbered(events))).call).toEqual({
      state: 'running',
      progress: { progress: 1, total: 2 },
    })
    events.push({ type: 'tool_result', role: 'user', content: '5', message: result })
    expect(fold(numbered(events)).messages[1]?.call).toEqual({ state: 'answered' })
  })

  it('is followed by its result and the next reply, which later events change (§7.37)', () => {
    const run = fold(
      numbered([
        started,
        called,
        { type: 'tool_result', role: 'user', content: '5', message: result },
        { type: 'reply', assistant_message: next },
        text('It is 5.'),
        { type: 'ended', status: 'complete' },
      ]),
    )
    expect(run.messages.map((message) => message.id)).toEqual(['q', 'a', 'r', 'b'])
    expect(run.messages[2]).toBe(result)
    expect(run.messages.at(-1)).toMatchObject({ content: 'It is 5.', status: 'complete' })
  })

  it('stays complete when the run is stopped before or during the call', () => {
    const run = fold(numbered([started, called, { type: 'ended', status: 'stopped' }]))
    expect(run.status).toBe('stopped')
    expect(replyOf(run).status).toBe('complete')
  })
})

it('adds a notice to those of the reply, and no notice twice', () => {
  const texts = ['No tools here.', 'No summary.', 'No tools here.']
  const run = fold(numbered([started, ...texts.map((notice) => ({ type: 'notice', notice }) as const)]))
  expect(replyOf(run).notice).toBe('No tools here. No summary.')
})

it('adds a notice to the reply', () => {
  const run = fold(numbered([started, { type: 'notice', notice: 'No tools here.' }]))
  expect(replyOf(run).notice).toBe('No tools here.')
})

it('adds the tools that requests leave out to the reply', () => {
  const left_out_tools = {
    max_tools: 128,
    connectors: [{ connector_id: 'c', server: 'Mail', count: 2, tools: ['a', 'b'] }],
  }
  const run = fold(numbered([started, { type: 'left_out_tools', left_out_tools }]))
  expect(replyOf(run).left_out_tools).toEqual(left_out_tools)
})

it('shows the error in place of the text, and keeps the partial text (§8.7)', () => {
  const run = fold(
    numbered([
      started,
      text('Half an'),
      { type: 'error', error: { code: 'upstream_cut', message: 'It broke off.' } },
      { type: 'ended', status: 'failed' },
    ]),
  )
  expect(replyOf(run)).toMatchObject({
    content: '**Error:** It broke off.',
    partial: 'Half an',
    status: 'failed',
    error: { code: 'upstream_cut' },
  })
})

it('shows "Unknown error occurred" when a failure has no message (§8.7)', () => {
  const failed = replyOf(fold(numbered([started, { type: 'ended', status: 'failed' }])))
  expect(failed.content).toBe('**Error:** Unknown error occurred')
  expect(failed).not.toHaveProperty('partial')
})

it.each(['stopped', 'interrupted'] as const)('keeps the text of a run that was %s', (status) => {
  const run = fold(numbered([started, text('So far'), { type: 'ended', status }]))
  expect(replyOf(run)).toMatchObject({ content: 'So far', status })
})

it('appends text to content that has parts (§3.7)', () => {
  const file = { id: 'f1', name: 'cat.png', type: 'image/png', size: 3 }
  const parts: Message = {
    ...reply,
    content: [
      { type: 'text', text: 'a' },
      { type: 'file', file },
      { type: 'text', text: 'b' },
    ],
  }
  const run = fold(
    numbered([{ type: 'started', user_message: question, assistant_message: parts }, text('c')]),
  )
  expect(replyOf(run).content).toEqual([
    { type: 'text', text: 'abc' },
    { type: 'file', file },
  ])
})

it('keeps the files of a reply, whatever happens to its text', () => {
  const file = { id: 'f1', name: 'cat.png', type: 'image/png', size: 3 }
  const part = { type: 'file', file } as const
  const begin = { ...started, assistant_message: { ...reply, content: [part] } }
  const contentAfter = (...events: UnnumberedEvent[]) => replyOf(fold(numbered([begin, ...events]))).content
  expect(contentAfter(text('a'), text('b'))).toEqual([{ type: 'text', text: 'ab' }, part])
  expect(contentAfter(text('a'), { type: 'text_was_reasoning' })).toEqual([part])
  expect(contentAfter(text('a'), { type: 'ended', status: 'failed' })).toEqual([
    { type: 'text', text: '**Error:** Unknown error occurred' },
    part,
  ])
})

it('ignores events that change a reply when there is none', () => {
  expect(fold(numbered([text('early')])).messages).toEqual([])
})

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}
