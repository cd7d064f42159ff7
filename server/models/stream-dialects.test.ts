import { apiTypes, type ApiType } from '@yonder/contract/bot'
import fc from 'fast-check'
import { Dispatcher } from 'undici'
import { describe, expect, it } from 'vitest'
import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import { readReply } from '../testing/models/read-reply.ts'
import { wireShapes } from '../testing/models/wire-shapes.ts'
import { userMessage, type ModelPart } from './model.ts'
import { openModel } from './open-model.ts'

const text = 'Größe 修正 🧀, and a mark \uFEFF inside.'

/** A network whose only response is a body that arrives in these chunks. */
class ChunkedResponse extends Dispatcher {
  requestCount = 0
  readonly #chunks: readonly Buffer[]

  constructor(chunks: readonly Buffer[]) {
    super()
    this.#chunks = chunks
  }

  override dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.requestCount++
    void this.#respond(handler)
    return true
  }

  async #respond(handler: Dispatcher.DispatchHandler): Promise<void> {
    const controller = { abort: () => undefined } as unknown as Dispatcher.DispatchController
    await Promise.resolve()
    handler.onRequestStart?.(controller, {})
    handler.onResponseStart?.(controller, 200, { 'content-type': 'text/event-stream' }, 'OK')
    for (const chunk of this.#chunks) handler.onResponseData?.(controller, chunk)
    handler.onResponseEnd?.(controller, {})
  }
}

async function readParts(apiType: ApiType, dispatcher: ChunkedResponse): Promise<readonly ModelPart[]> {
  const guard = {
    dispatcher,
    requireUrl: () => undefined,
  } as unknown as GuardedFetch
  const model = openModel(
    {
      apiType,
      baseUrl: 'https://models.example',
      apiKey: 'sk-0123456789',
      customApiPath: null,
      addressSource: 'userSupplied',
    },
    { guards: { userSupplied: guard, operatorSupplied: guard } },
  )
  const parts: ModelPart[] = []
  await readReply(
    model,
    { model: 'm', messages: [userMessage('Hello')], tools: [], maxTokens: null },
    { signal: new AbortController().signal, onParts: (some) => parts.push(...some) },
  )
  return parts
}

async function readChunks(apiType: ApiType, chunks: readonly Buffer[]) {
  const parts = await readParts(apiType, new ChunkedResponse(chunks))
  const received = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  return { text: received, end: parts.at(-1) }
}

function streamOf(apiType: ApiType): string {
  const shape = wireShapes[apiType]
  const [first, rest] = [text.slice(0, 9), text.slice(9)]
  return [
    // Only Anthropic's stream needs it. In the others the first event has text, which a byte order mark must not
    // swallow.
    apiType === 'anthropic' ? shape.start('m') : '',
    shape.text(first),
    shape.text(rest),
    shape.finish('stop', { input: 5, output: 7 }),
  ].join('')
}

/** Puts something before each event. */
function insert(stream: string, inserted: string): string {
  return stream.replaceAll(/^(?=event:|data:)/gm, (_, at: number) =>
    at === 0 || stream.slice(at - 2, at) === '\n\n' ? inserted : '',
  )
}

/** The same stream as different servers write it. */
const dialects: Readonly<Record<string, (stream: string) => string>> = {
  'line feeds': (stream) => stream,
  'carriage returns and line feeds': (stream) => stream.replaceAll('\n', '\r\n'),
  'carriage returns': (stream) => stream.replaceAll('\n', '\r'),
  'mixed line ends': (stream) => {
    const ends = ['\n', '\r\n', '\r', '\r', '\r\n']
    let line = 0
    return stream.replaceAll('\n', () => ends[line++ % ends.length] ?? '\n')
  },
  'a byte order mark': (stream) => `\uFEFF${stream}`,
  'a byte order mark before carriage returns': (stream) => `\uFEFF${stream.replaceAll('\n', '\r')}`,
  'space before the first line': (stream) => ` \r\n \n${stream}`,
  comments: (stream) => `: hello\n\n${insert(stream, ': PROCESSING\n:\n\n: more\n')}`,
  'no space after the colon': (stream) => stream.replaceAll(/^(data|event): /gm, '$1:'),
  'several data lines in an event': (stream) =>
    stream.replaceAll(/^data: (\{.*)$/gm, (_, json: string) =>
      JSON.stringify(JSON.parse(json), null, 1)
        .split('\n')
        .map((line) => `data: ${line}`)
        .join('\n'),
    ),
  'ids, retry times and unknown fields': (stream) =>
    insert(stream, 'id: 7\nretry: 10\nretry: soon\nnote: x\ndat\n'),
  'unknown events': (stream) =>
    insert(stream, 'event: progress\ndata: 50 %\n\nevent: trace\ndata: {"trace":1}\n\nevent: nothing\n\n'),
  'keep-alive events': (stream) =>
    insert(
      stream,
      'event: ping\ndata: still here\n\nevent: ping\ndata: {oops\n\nevent: ping\ndata: {"type":"ping"}\n\nevent: heartbeat\ndata: 1700000000\n\ndata:\n\ndata\n\ndata:   \n\n',
    ),
  'an end marker with spaces': (stream) => `${stream.replace('data: [DONE]\n\n', '')}data:   [DONE]  \n\n`,
  'an end marker and an event after it': (stream) =>
    `${stream.replace('data: [DONE]\n\n', '')}data: [DONE]\n\ndata: {late\n\n`,
  'no blank line at the end': (stream) => stream.replace(/\n\n$/, ''),
  'no blank line at the end, after a carriage return': (stream) =>
    stream.replace(/\n$/, '').replaceAll('\n', '\r'),
}

function split(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

it('yields the name of the model once when the call is repeated without a refused option', async () => {
  const stream = `data: {"model":"m","choices":[]}\n\ndata: {"error":{"message":"stream_options is unknown"}}\n\n`
  const response = new ChunkedResponse([Buffer.from(stream)])
  const parts = await readParts('openai', response)
  expect(response.requestCount).toBe(2)
  expect(parts.map(({ type }) => type)).toEqual(['model', 'failed'])
})

describe.each(apiTypes)('%s', (apiType) => {
  it.each(Object.entries(dialects))('yields the same text for %s, however it is split', async (_, write) => {
    const bytes = Buffer.from(write(streamOf(apiType)))
    const read = async (chunks: readonly Buffer[]): Promise<void> => {
      expect(await readChunks(apiType, chunks)).toEqual({ text, end: { type: 'finish', reason: 'stop' } })
    }
    await read([bytes])
    await read(Array.from(bytes, (byte) => Buffer.of(byte)))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), (cuts) => read(split(bytes, cuts))),
      { numRuns: 30 },
    )
  })

  it('fails a reply in which an error is reported as plain text', async () => {
    const stream = `${wireShapes[apiType].text('Hello')}event: error\ndata: The model fell asleep.\n\n`
    expect((await readChunks(apiType, [Buffer.from(stream)])).end).toMatchObject({
      type: 'failed',
      code: 'upstream_error',
      message: 'models.example reported an error: The model fell asleep.',
    })
  })

  it('fails a reply with a broken event instead of leaving its text out', async () => {
    const name = apiType === 'anthropic' ? 'content_block_delta' : 'chunk'
    const broken = `${wireShapes[apiType].start('m')}event: ${name}\ndata: {"broken\n\n${streamOf(apiType)}`
    expect((await readChunks(apiType, [Buffer.from(broken)])).end).toMatchObject({ code: 'upstream_invalid' })
  })
})
