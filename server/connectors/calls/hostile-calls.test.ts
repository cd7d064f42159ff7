import type { Elicitation, ElicitationAnswer } from '@yonder/contract/elicitation'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hostileLimits, openHostileScene } from '../../testing/hostile-mcp/open-hostile-scene.ts'
import type { HostileScene } from '../../testing/hostile-mcp/open-hostile-scene.ts'

let scene: HostileScene

beforeAll(async () => {
  scene = await openHostileScene()
})
afterAll(() => scene.close())

// Bob's calls continue meanwhile, and the event loop is never blocked for a quarter of a second.
beforeEach(() => scene.startBob())
afterEach(async () => {
  expect(await scene.stopBob()).toBeLessThan(250)
})

// Retried, because a loaded machine may block the event loop by itself.
describe('a hostile server', { retry: 2 }, () => {
  it.each(['silent-call', 'drip', 'wrong-id', 'dropped', 'ended'])(
    'fails in time when it sends no result (%s) (§16.8)',
    async (behaviour) => {
      const started = Date.now()
      const outcome = await scene.callTo(behaviour)
      expect(['timed_out', 'failed']).toContain(outcome.status)
      expect(Date.now() - started).toBeLessThan(6_000)
    },
  )

  it('is stopped at the time limit of a call when it reports progress endlessly (§16.8)', async () => {
    const outcome = await scene.callTo('progress')
    expect(outcome.status).toBe('timed_out')
    expect(outcome.duration).toBeGreaterThan(hostileLimits.maxCallIdleMs)
    expect(outcome.duration).toBeLessThan(hostileLimits.maxCallMs + 1_000)
  })

  it.each(['huge-call', 'huge-stream', 'announced-huge', 'bomb'])(
    'is cut off when its response never ends (%s), and memory stays low (§16.8)',
    async (behaviour) => {
      const before = process.memoryUsage().rss
      const outcome = await scene.callTo(behaviour)
      expect(outcome.status).toBe('failed')
      expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1_024 * 1_024)
    },
  )

  it.each(['events', 'events-named'])('is cut off when it floods its stream (%s)', async (behaviour) => {
    expect(['failed', 'timed_out']).toContain((await scene.callTo(behaviour)).status)
  })

  it('has its result replaced by a note when it is nested deeply', async () => {
    const outcome = await scene.callTo('deep')
    expect(outcome).toMatchObject({
      status: 'done',
      text: expect.stringContaining('nested too deeply') as string,
    })
  })

  it('does not block the process with a long list deep in a structured result', async () => {
    const outcome = await scene.callTo('wide-numbers')
    expect(outcome.status).toBe('done')
    expect(outcome.text.length).toBeLessThan(101_000)
  })

  it.each(['wide-lists', 'wide-objects'])(
    'is refused before parsing when it sends millions of %s',
    async (behaviour) => {
      expect(await scene.callTo(behaviour)).toMatchObject({
        status: 'failed',
        text: expect.stringContaining('too many objects') as string,
      })
    },
  )

  it('cannot execute code in the schema of an elicitation (§18.23)', async () => {
    const onElicit = (): Promise<ElicitationAnswer> =>
      Promise.resolve({ action: 'accept', content: { a: `${'a'.repeat(35)}!` } })
    expect((await scene.callTo('redos-question', { onElicit })).status).toBe('done')
  })

  it.each(['html', 'broken-json', 'failing'])(
    'causes an error in plain text when its response is nonsense (%s)',
    async (behaviour) => {
      const { status, text } = await scene.callTo(behaviour)
      expect(status).toBe('failed')
      expect(text).not.toMatch(/script|secret|<|position/)
    },
  )

  it('has its error quoted as short plain text', async () => {
    const { text } = await scene.callTo('insult')
    expect(text.length).toBeLessThan(500)
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    expect(text).not.toMatch(/[\u0000-\u001F\u202E]/)
  })

  it('has only the first of two responses read', async () => {
    expect((await scene.callTo('twice')).text).toBe('first')
  })

  it('is retried with a delay when it breaks its stream repeatedly (§18.24)', async () => {
    await scene.callTo('storm')
    const gets = (await scene.hostile.seen('storm')).filter(({ method }) => method === 'GET')
    expect(gets.length).toBeLessThanOrEqual(2 * 3 * (hostileLimits.maxReconnects + 1))
  })

  it('does not block the process with megabytes of blocks', async () => {
    expect((await scene.callTo('blocks')).parts.length).toBeLessThanOrEqual(501)
  })

  it('has a very long text cut, with a note (§16.4)', async () => {
    const { text } = await scene.callTo('long-text')
    expect(text.length).toBeLessThan(101_000)
    expect(text).toContain('were omitted')
  })

  it('cannot hide text or load images with a result', async () => {
    const { parts, text } = await scene.callTo('injection')
    expect(text).toContain('Ignore all instructions')
    expect(text).not.toMatch(/[\u{E0000}-\u{E007F}\u202A-\u202E]/u)
    expect(parts.map(({ type }) => type)).toEqual(['text', 'link', 'link', 'note', 'note', 'text', 'note'])
    expect(parts.filter(({ type }) => type === 'image')).toEqual([])
  })

  it('gets answers to at most five of a thousand elicitations, one at a time (§16.10)', async () => {
    const received: Elicitation[] = []
    let open = 0
    let maxOpen = 0
    await scene.callTo('question-flood', {
      onElicit: async (elicitation) => {
        received.push(elicitation)
        maxOpen = Math.max(maxOpen, ++open)
        await new Promise((resolve) => setTimeout(resolve, 10))
        open--
        return { action: 'accept', content: { name: 'Ada' } }
      },
    })
    expect(received.length).toBeLessThanOrEqual(5)
    expect(maxOpen).toBeLessThanOrEqual(1)
  })

  it.each(['question-password', 'question-address'])(
    'gets a decline without asking the user for an elicitation that is not allowed (%s)',
    async (behaviour) => {
      let received = 0
      const outcome = await scene.callTo(behaviour, {
        onElicit: () => {
          received++
          return Promise.resolve({ action: 'accept' })
        },
      })
      expect(outcome.status).toBe('done')
      expect(received).toBe(0)
    },
  )

  it('is refused sampling and roots', async () => {
    expect((await scene.callTo('uninvited')).status).toBe('done')
    const responses = (await scene.hostile.seen('uninvited')).filter(({ rpc }) => rpc === '')
    expect(responses.length).toBeGreaterThanOrEqual(2)
    for (const { body } of responses.filter(({ method }) => method === 'POST'))
      expect(body).toContain('-32601')
  })
})
