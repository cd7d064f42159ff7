import { describe, expect, it } from 'vitest'
import { readPieces, ResponseBudget } from './response-budget.ts'

const maxBytes = 1_024 * 1_024

/** Sends pieces as the body of an event stream, and returns the pieces that are read. */
async function read(pieces: readonly string[], budget = new ResponseBudget()): Promise<string[]> {
  budget.reset(maxBytes)
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(Buffer.from(piece))
      controller.close()
    },
  })
  const received: string[] = []
  for await (const piece of readPieces(body, budget, true, () => Promise.resolve()))
    received.push(Buffer.from(piece).toString())
  return received
}

describe('readPieces', () => {
  it.each([
    ['LF', '\n'],
    ['CR', '\r'],
    ['CR and LF', '\r\n'],
  ])('counts each line once when it ends with %s', async (_, end) => {
    expect((await read([`data: {}${end}`.repeat(20_000)])).join('')).toHaveLength(
      (8 + end.length) * 20_000 + 2,
    )
    await expect(read([`data: {}${end}`.repeat(20_001)])).rejects.toMatchObject({
      code: 'output_limit',
      message: 'The server sent an event stream with too many lines.',
    })
  })

  it.each([
    ['empty lines', '\n'],
    ['empty lines that end with CR', '\r'],
    ['comments', ':\n'],
    ['comments that end with CR', ':x\r'],
    ['empty events', 'data:\n\n'],
    ['unknown fields', 'x: y\r\n'],
    ['mixed ends', 'a\nb\rc\r\n\n\r'],
  ])('refuses endless %s', async (_, piece) => {
    await expect(read([piece.repeat(20_001)])).rejects.toMatchObject({ code: 'output_limit' })
  })

  it('counts CR and LF once when a piece ends between them', async () => {
    const pieces = [
      'data: {}\r',
      ...Array.from({ length: 19_998 }, () => '\ndata: {}\r'),
      '\ndata: {}\r',
      '\n',
    ]
    expect((await read(pieces)).join('')).toBe(`${'data: {}\r\n'.repeat(20_000)}\n\n`)
  })

  it('counts the lines of all responses to one request, and starts again with the next', async () => {
    const budget = new ResponseBudget()
    budget.reset(maxBytes)
    const lines = Buffer.from('\r'.repeat(15_000))
    expect(budget.count(lines, true)).toBeUndefined()
    expect(budget.count(lines, true)).toMatchObject({ code: 'output_limit' })
    budget.reset(maxBytes)
    expect(budget.count(lines, true)).toBeUndefined()
  })

  it.each(['\n', '\r', '\r\n'])('passes on at most 64 lines at a time (%j)', async (end) => {
    const received = await read([`:${end}`.repeat(1_000)])
    for (const piece of received) expect(piece.split(/\r\n|\r|\n/).length - 1).toBeLessThanOrEqual(64)
  })

  it('passes on at most 8 KiB at a time', async () => {
    const received = await read(['x'.repeat(100_000)])
    expect(Math.max(...received.map(({ length }) => length))).toBe(8_192)
    expect(received.join('')).toHaveLength(100_002)
  })

  it('reads each piece in a turn of its own', async () => {
    const budget = new ResponseBudget()
    budget.reset(maxBytes)
    const turns: (() => void)[] = []
    const nextTurn = () => new Promise<void>((resolve) => turns.push(resolve))
    const { body } = new Response('x'.repeat(8_193))
    const pieces = readPieces(body!, budget, false, nextTurn)[Symbol.asyncIterator]()
    const first = pieces.next()
    await expect.poll(() => turns.length).toBe(1)
    turns[0]!()
    expect((await first).value).toHaveLength(8_192)
    const second = pieces.next()
    await expect.poll(() => turns.length).toBe(2)
    turns[1]!()
    expect((await second).value).toHaveLength(1)
  })
})
