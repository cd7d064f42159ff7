import type { UnnumberedEvent } from '@yonder/contract/completion'
import { describe, expect, it } from 'vitest'
import type { ModelPart, ModelStream } from '../../models/model.ts'
import type { RunSource } from '../run.ts'
import { callModel, maxCallChars, maxReplyChars } from './call-model.ts'

const request = { model: 'm', messages: [], tools: [], maxTokens: null }

async function run(model: ModelStream, signal = new AbortController().signal) {
  const received: string[] = []
  const events: UnnumberedEvent[] = []
  let source: RunSource = { drain: () => [] }
  const pull = (): void => {
    for (const chunk of source.drain()) {
      if (chunk.type === 'event') events.push(chunk.event)
      else received.push(`${chunk.type}: ${chunk.text}`)
    }
  }
  const readFrom = (opened: RunSource): void => {
    source = opened
  }
  const recorder = { readFrom, onReadable: pull, endReading: pull }
  const { ending, calls } = await callModel({ model, request, signal, recorder })
  return { ending, calls, received, events }
}

/** A model that sends each batch of parts in a separate microtask. */
const streaming =
  (batches: readonly ModelPart[][], onBatch?: (index: number) => void): ModelStream =>
  (_request, { onReadable }) => {
    const waiting: ModelPart[] = []
    const send = async (): Promise<void> => {
      for (const [index, parts] of batches.entries()) {
        await Promise.resolve()
        waiting.push(...parts)
        onReadable(false)
        onBatch?.(index)
      }
    }
    return { drain: () => waiting.splice(0), closed: send() }
  }

const answering = (...parts: ModelPart[]): ModelStream => streaming(parts.map((part) => [part]))

describe('callModel', () => {
  it('emits the parts of the model in order', async () => {
    const { ending, received, events } = await run(
      answering(
        { type: 'model', model: 'm-1', provider: 'p' },
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'yes' },
        { type: 'usage', input_tokens: 1, output_tokens: null },
        { type: 'finish', reason: 'stop' },
      ),
    )
    expect(received).toEqual(['reasoning: hm', 'text: yes'])
    expect(events).toEqual([
      { type: 'model', model: 'm-1', provider: 'p' },
      { type: 'usage', usage: { input_tokens: 1, output_tokens: null } },
    ])
    expect(ending).toEqual({ status: 'complete' })
  })

  it.each([
    ['a failure', [{ type: 'failed', code: 'upstream_timeout', message: 'slow' }], 'upstream_timeout'],
    ['an empty reply', [{ type: 'finish', reason: 'stop' }], 'upstream_invalid'],
    ['a blocked reply', [{ type: 'finish', reason: 'content_filter' }], 'upstream_error'],
    ['a model that ends without a finish reason', [{ type: 'text', text: 'a' }], 'upstream_cut'],
  ] as const)('ends as failed after %s', async (_what, parts, code) => {
    const { ending } = await run(answering(...parts))
    expect(ending).toMatchObject({ status: 'failed', error: { code } })
  })

  it('gives each call an id of its own, because the user decides about it by that', async () => {
    const call = { type: 'tool_call', id: '1', name: 'x', arguments: '{}' } as const
    const { calls } = await run(
      answering(call, call, { ...call, id: '2' }, { type: 'finish', reason: 'tool_calls' }),
    )
    expect(calls.map(({ id }) => id)).toEqual(['1', expect.stringMatching(/^call_\w{24}$/), '2'])
  })

  it('returns the tool calls of a reply without text', async () => {
    const call = { type: 'tool_call', id: '1', name: 'x', arguments: '{}' } as const
    const { ending, calls } = await run(answering(call, { type: 'finish', reason: 'tool_calls' }))
    expect(ending).toEqual({ status: 'complete' })
    expect(calls).toEqual([{ id: '1', name: 'x', arguments: '{}' }])
  })

  it('returns no tool calls of a failed reply', async () => {
    const { ending, calls } = await run(
      answering(
        { type: 'tool_call', id: '1', name: 'x', arguments: '{}' },
        { type: 'failed', code: 'upstream_cut', message: 'cut' },
      ),
    )
    expect(ending.status).toBe('failed')
    expect(calls).toEqual([])
  })

  it.each([
    ['arguments', { arguments: JSON.stringify({ a: 'x'.repeat(maxCallChars / 2) }) }],
    ['data for the provider', { arguments: '{}', note: { seal: 'x'.repeat(maxCallChars / 2) } }],
  ])('fails when the tool calls of a reply are too long in total: %s', async (_what, given) => {
    const call = { type: 'tool_call', id: '1', name: 'x', ...given } as const
    const { ending, calls } = await run(answering(call, call, call, { type: 'finish', reason: 'tool_calls' }))
    expect(ending).toMatchObject({ status: 'failed', error: { code: 'output_limit' } })
    expect(calls).toEqual([])
  })

  it('accepts long reasoning data on the first tool call', async () => {
    const call = { type: 'tool_call', id: '1', name: 'x', arguments: '{}' } as const
    const note = { thinking: 'x'.repeat(maxReplyChars) }
    const { ending, calls } = await run(
      answering({ ...call, note }, call, { type: 'finish', reason: 'tool_calls' }),
    )
    expect(ending).toEqual({ status: 'complete' })
    expect(calls).toHaveLength(2)
  })

  it('reports that a reply was cut by a limit', async () => {
    const { ending } = await run(answering({ type: 'text', text: 'a' }, { type: 'finish', reason: 'length' }))
    expect(ending).toEqual({ status: 'complete', finish: 'length' })
  })

  it.each(['stopped', 'interrupted'] as const)(
    'ends as %s at once, aborts the upstream request and reads no more',
    async (reason) => {
      const controller = new AbortController()
      let upstream: AbortSignal | undefined
      const parts: ModelPart[][] = [[{ type: 'text', text: 'some' }], [{ type: 'text', text: ' more' }]]
      const texts = streaming(parts, () => controller.abort(reason))
      const stuck: ModelStream = (modelRequest, options) => {
        upstream = options.signal
        return { ...texts(modelRequest, options), closed: new Promise(() => undefined) }
      }
      const { ending, received } = await run(stuck, controller.signal)
      expect(ending).toEqual({ status: reason })
      expect(received).toEqual(['text: some'])
      expect(upstream?.aborted).toBe(true)
    },
  )

  it('does not call the model when the run is already stopped', async () => {
    let isCalled = false
    const { ending } = await run(() => {
      isCalled = true
      return { drain: () => [], closed: Promise.resolve() }
    }, AbortSignal.abort('stopped'))
    expect(ending).toEqual({ status: 'stopped' })
    expect(isCalled).toBe(false)
  })

  it('cuts an endless reply at the limit, without splitting a character', async () => {
    let upstream: AbortSignal | undefined
    const texts = streaming([
      [{ type: 'text', text: 'x'.repeat(maxReplyChars - 1) }],
      [{ type: 'text', text: '😀😀' }],
      [{ type: 'text', text: 'never' }],
    ])
    const { ending, received } = await run((modelRequest, options) => {
      upstream = options.signal
      return texts(modelRequest, options)
    })
    expect(ending).toMatchObject({ status: 'failed', error: { code: 'output_limit' } })
    expect(received.length).toBe(2)
    expect(received.every((text) => text.isWellFormed())).toBe(true)
    expect(upstream?.aborted).toBe(true)
  })
})
