import { describe, expect, it } from 'vitest'
import type { ModelOptions, ModelPart, ModelRequest, ModelStream } from '../../models/model.ts'
import { readReply } from '../../testing/models/read-reply.ts'
import { omitRefusedOptions } from './option-support.ts'

type OptionName = keyof ModelOptions

const all: ModelOptions = { temperature: 0.5, topP: 0.5, reasoningEffort: 'low' }
const ok: readonly ModelPart[] = [
  { type: 'text', text: 'ok' },
  { type: 'finish', reason: 'stop' },
]

/** A model that refuses these options one by one, in this order. */
function openModel(refusedOptions: readonly OptionName[]) {
  const requests: ModelRequest[] = []
  const model: ModelStream = (request, { signal, onReadable }) => {
    requests.push(request)
    const option = refusedOptions.find((name) => request.options?.[name] !== undefined)
    let parts = option === undefined ? ok : [refusal(option)]
    const close = async () => {
      await Promise.resolve()
      if (!signal.aborted) onReadable(true)
    }
    return {
      drain() {
        const drained = parts
        parts = []
        return signal.aborted ? [] : drained
      },
      closed: close(),
    }
  }
  return { model, sent: () => requests.map(({ options }) => Object.keys(options ?? {}).toSorted()) }
}

const refusal = (option: OptionName): ModelPart => ({
  type: 'failed',
  code: 'option_refused',
  message: 'No.',
  option,
})

async function read(model: ModelStream, options: ModelOptions, known: readonly OptionName[] = []) {
  const refused = [...known]
  const omitted: OptionName[] = []
  const parts: ModelPart[] = []
  const stream = omitRefusedOptions(model, {
    listRefused: () => refused,
    addRefusal: (option) => refused.push(option),
    onOmitted: (option) => omitted.push(option),
  })
  const request = { model: 'm', messages: [], tools: [], maxTokens: null, options }
  await readReply(stream, request, {
    signal: new AbortController().signal,
    onParts: (some) => parts.push(...some),
  })
  return { parts, refused, omitted }
}

describe('a model that refuses options', () => {
  it('is called again without each of them, once', async () => {
    const { model, sent } = openModel(['topP', 'reasoningEffort'])
    const { parts, refused, omitted } = await read(model, all)
    expect(parts).toEqual(ok)
    expect(sent()).toEqual([
      ['reasoningEffort', 'temperature', 'topP'],
      ['reasoningEffort', 'temperature'],
      ['temperature'],
    ])
    expect(refused).toEqual(['topP', 'reasoningEffort'])
    expect(new Set(omitted)).toEqual(new Set(['topP', 'reasoningEffort']))
  })

  it('is called without those that it has refused before', async () => {
    const { model, sent } = openModel(['temperature'])
    const { parts, omitted } = await read(model, { temperature: 0.5, topP: 0.5 }, ['temperature'])
    expect(parts).toEqual(ok)
    expect(sent()).toEqual([['topP']])
    expect(omitted).toEqual(['temperature'])
  })

  it('fails when it refuses an option that it was not sent', async () => {
    let waiting: readonly ModelPart[] = [refusal('topP')]
    const once: ModelStream = () => ({
      drain() {
        const parts = waiting
        waiting = []
        return parts
      },
      closed: Promise.resolve(),
    })
    const { parts, refused } = await read(once, { temperature: 0.5 })
    expect(parts).toEqual([refusal('topP')])
    expect(refused).toEqual([])
  })

  it('is not called again after an abort', async () => {
    const { model, sent } = openModel(['temperature'])
    const stop = new AbortController()
    const stream = omitRefusedOptions(model, {
      listRefused: () => [],
      addRefusal: () => undefined,
      onOmitted: () => undefined,
    })
    const reply = stream(
      { model: 'm', messages: [], tools: [], maxTokens: null, options: all },
      {
        signal: stop.signal,
        onReadable: () => undefined,
      },
    )
    stop.abort()
    await reply.closed
    expect(reply.drain()).toEqual([])
    expect(sent()).toHaveLength(1)
  })
})
