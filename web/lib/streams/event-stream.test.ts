import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSse } from './event-stream.ts'

function respond(chunks: readonly Uint8Array[], onCancel?: () => void): Response {
  const rest = [...chunks]
  return new Response(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = rest.shift()
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk)
      },
      cancel: () => onCancel?.(),
    }),
  )
}

const encode = (text: string) => new TextEncoder().encode(text)

async function collect(response: Response): Promise<readonly string[]> {
  const events: string[] = []
  for await (const event of readSse(response)) events.push(event)
  return events
}

describe('reading an event stream', () => {
  it('yields the data of each event until the end marker (§7.31)', async () => {
    const body = 'data: {"a":1}\n\ndata: {"b":2}\n\ndata: [DONE]\n\ndata: late\n\n'
    expect(await collect(respond([encode(body)]))).toEqual(['{"a":1}', '{"b":2}'])
  })

  const events = ['{"text":"käse 🧀 修正 \uFEFF"}', '{"text":"plain"}', 'two\nlines', '']
  const stream = `: note\n\nid: 4\nretry: 10\nevent: x\n${events
    .map((event) => `data: ${event.replaceAll('\n', '\ndata: ')}\n\n`)
    .join('')}: keep-alive\n\ndata: [DONE]\n\n`

  it.each<[dialect: string, stream: string]>([
    ['line feeds', stream],
    ['carriage returns and line feeds', stream.replaceAll('\n', '\r\n')],
    ['carriage returns', stream.replaceAll('\n', '\r')],
    ['mixed line ends', stream.replaceAll('\n\n', '\r\n\r').replaceAll(': ', ':')],
    ['a byte order mark', `\uFEFF${stream}`],
    ['data without a colon', stream.replaceAll('data: \n', 'data\n')],
    ['an end marker with spaces', stream.replace('[DONE]', '  [DONE] ')],
    ['no blank line at the end', stream.slice(0, -1)],
    ['no end marker', stream.replace('data: [DONE]\n\n', '')],
  ])('yields the same for %s, however the bytes are split (§7.31)', async (_, written) => {
    const bytes = encode(written)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length]
        const chunks = places.slice(1).map((end, at) => bytes.slice(places[at], end))
        expect(await collect(respond(chunks))).toEqual(events)
      }),
      { numRuns: 60 },
    )
    expect(await collect(respond(Array.from(bytes, (byte) => Uint8Array.of(byte))))).toEqual(events)
  })

  it('drops an event that the end of the body cuts off', async () => {
    expect(await collect(respond([encode('data: whole\n\ndata: {"ha')]))).toEqual(['whole'])
    expect(await collect(respond([encode('data: whole\n\ndata: last\n')]))).toEqual(['whole', 'last'])
  })

  it('throws when there is no body (§8.9)', async () => {
    await expect(collect(new Response(null))).rejects.toThrow('Response body is not readable')
  })

  it('cancels the body when the loop ends early', async () => {
    let cancelled = false
    const response = respond([encode('data: 1\n\n'), encode('data: 2\n\n')], () => {
      cancelled = true
    })
    for await (const event of readSse(response)) {
      expect(event).toBe('1')
      break
    }
    expect(cancelled).toBe(true)
  })
})
