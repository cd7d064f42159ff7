import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Elicitation, ElicitationAnswer } from '@yonder/contract/elicitation'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  ada,
  hostileLimits,
  impatientLimits,
  openHostileScene,
  type HostileScene,
} from '../../testing/hostile-mcp/open-hostile-scene.ts'
import { startHostileServer } from '../../testing/hostile-mcp/start-hostile-server.ts'
import { requireConnector } from '../connector-store.ts'

let scene: HostileScene
let impatient: HostileScene

beforeAll(async () => {
  scene = await openHostileScene()
  impatient = await openHostileScene(impatientLimits)
})
afterAll(async () => {
  await scene.close()
  await impatient.close()
})

// Bob's calls continue meanwhile, and none of them fails.
beforeEach(() => scene.startBob())
afterEach(() => scene.stopBob())

describe('a hostile server', () => {
  it.each(['silent-call', 'drip'])('fails when it sends no result (%s)', async (behaviour) => {
    const outcome = await impatient.callTo(behaviour)
    expect(outcome.status).toBe('timed_out')
  })

  // Without the short limits: these calls end at once.
  it.each([
    'dropped',
    'wrong-id',
    'accepted',
    'ended',
    'reset',
    'cut-json',
    'status-502',
    'status-503',
    'status-504',
    'sse-cut',
    'html',
  ])(
    'leaves the outcome of a call unknown when it sends no result, or breaks the connection (%s)',
    async (behaviour) => {
      const outcome = await scene.callTo(behaviour)
      expect(outcome).toMatchObject({
        status: 'interrupted',
        text: expect.stringContaining('The outcome is unknown') as string,
        parts: [{ type: 'note', text: expect.stringMatching(/may or may not have finished\.$/) as string }],
      })
      const calls = (await scene.hostile.seen(behaviour)).filter(({ rpc }) => rpc === 'tools/call')
      expect(calls).toHaveLength(1)
    },
  )

  it.each([
    ['status-502', 'The server failed after the call was sent.'],
    ['reset', 'The connection to the server broke after the call was sent.'],
  ])('has the reason for a lost result reported (%s)', async (behaviour, reason) => {
    expect((await scene.callTo(behaviour)).text).toBe(
      `${reason} The outcome is unknown: the tool may or may not have finished. Check, or ask the user, before you call it again.`,
    )
  })

  it.each(['status-400', 'status-404', 'status-429', 'status-501', 'insult'])(
    'has a call that it did not run reported as failed (%s)',
    async (behaviour) => {
      expect(await scene.callTo(behaviour)).toMatchObject({
        status: 'failed',
        text: expect.not.stringContaining('unknown') as string,
      })
    },
  )

  it('has a call reported as failed when it cannot be reached', async () => {
    const other = await startHostileServer()
    await scene.connectors.connect('ada', { name: 'gone', url: other.url('polite') })
    await other.close()
    expect(await scene.call({ connectorName: 'gone' })).toMatchObject({
      status: 'failed',
      text: 'The tool failed: The server refused the connection. Check the address, and that the server is running.',
    })
  })

  it('lets other requests in between the calls that end at the same moment', async () => {
    const connectorName = await impatient.connect('silent-call')
    const before = (await impatient.hostile.seen('silent-call')).length
    const stop = new AbortController()
    let turn = 0
    let counting: NodeJS.Immediate
    const count = (): void => {
      turn++
      counting = setImmediate(count)
    }
    const calls = Array.from({ length: 4 }, async () => {
      const { status } = await impatient.call({ connectorName, signal: stop.signal })
      return { status, turn }
    })
    await vi.waitFor(async () => {
      const seen = (await impatient.hostile.seen('silent-call')).slice(before)
      expect(seen.filter(({ rpc }) => rpc === 'tools/call')).toHaveLength(4)
    })
    counting = setImmediate(count)
    stop.abort()
    const ended = await Promise.all(calls)
    clearImmediate(counting)
    expect(ended.map(({ status }) => status)).toEqual(['stopped', 'stopped', 'stopped', 'stopped'])
    expect(new Set(ended.map((each) => each.turn)).size).toBe(4)
  })

  it('is stored as failed as soon as a call to it has timed out', async () => {
    const connectorName = await impatient.connect('hangs')
    expect((await impatient.call({ connectorName })).status).toBe('timed_out')
    const { db } = impatient.connectors.database
    expect(await requireConnector(db, ada, connectorName)).toMatchObject({
      status: 'failed',
      error_message: 'The server did not respond in time. Try again later.',
    })
  })

  it('is not said to have run a tool when the call could not be sent in time', async () => {
    const connectorName = await impatient.connect('silent-call')
    const { db } = impatient.connectors.database
    const url = impatient.hostile.url('silent')
    await db
      .updateTable('connectors')
      .set({ url, era: null, credential_version: 99 })
      .where('name', '=', connectorName)
      .execute()
    expect(await impatient.call({ connectorName })).toMatchObject({
      status: 'failed',
      text: `The server of the connector "${connectorName}" did not respond in time, so the tool was not called.`,
    })
    const seen = await impatient.hostile.seen('silent')
    expect(seen.filter(({ rpc }) => rpc === 'tools/call')).toEqual([])
  })

  it('is stored as connected again when it responds after a call has timed out', async () => {
    const connectorName = await impatient.connect('silent-call')
    expect((await impatient.call({ connectorName })).status).toBe('timed_out')
    const { db } = impatient.connectors.database
    await vi.waitUntil(async () => (await requireConnector(db, ada, connectorName)).status === 'connected')
  })

  it('stays connected when a call reports progress until it times out', async () => {
    const connectorName = await impatient.connect('progress')
    expect((await impatient.call({ connectorName })).status).toBe('timed_out')
    const { db } = impatient.connectors.database
    expect(await requireConnector(db, ada, connectorName)).toMatchObject({ status: 'connected' })
  })

  it('is stopped at the time limit of a call when it reports progress endlessly', async () => {
    const outcome = await impatient.callTo('progress')
    expect(outcome.status).toBe('timed_out')
  })

  it.each(['huge-call', 'huge-stream', 'announced-huge', 'bomb'])(
    'is cut off when its response never ends (%s), and memory stays low',
    async (behaviour) => {
      const before = process.memoryUsage().rss
      const outcome = await scene.callTo(behaviour)
      expect(['failed', 'interrupted', 'done']).toContain(outcome.status)
      if (outcome.status === 'done') expect(outcome.text).toContain('the rest was cut off')
      // The thread that reads what had arrived may take so much, for all users together.
      expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1_024 * 1_024)
    },
  )

  it.each(['events', 'events-named'])('is cut off when it floods its stream (%s)', async (behaviour) => {
    expect(['interrupted', 'timed_out']).toContain((await scene.callTo(behaviour)).status)
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
        status: 'interrupted',
        text: expect.stringContaining('too many objects') as string,
      })
    },
  )

  it.each(['cr-events', 'lf-events', 'crlf-events', 'cr-lines', 'lf-lines', 'comments', 'empty-events'])(
    'is cut off when it sends too many lines, whatever their ends (%s)',
    async (behaviour) => {
      expect(await scene.callTo(behaviour)).toMatchObject({
        status: 'interrupted',
        text: expect.stringContaining('too many lines') as string,
      })
    },
  )

  it.each(['huge-event', 'many-keys', 'many-keys-event', 'escapes'])(
    'has an expensive result read and cut (%s)',
    async (behaviour) => {
      const outcome = await scene.callTo(behaviour)
      expect(outcome.status).toBe('done')
      expect(outcome.text.length).toBeLessThan(101_000)
    },
  )

  it.each(['large-error', 'large-refusal'])('has a large error read (%s)', async (behaviour) => {
    expect((await scene.callTo(behaviour)).status).toBe('failed')
  })

  it('has a large notification ignored', async () => {
    expect((await scene.callTo('large-notification')).text).toBe('after it')
  })

  it('is refused when it sends an elicitation that is too large', async () => {
    expect(await scene.callTo('large-elicitation')).toMatchObject({
      status: 'interrupted',
      text: expect.stringContaining('message that is too large') as string,
    })
  })

  it('is read when it sends one byte at a time', async () => {
    expect((await scene.callTo('single-bytes')).text).toBe('slow')
  })

  it('cannot execute code in the schema of an elicitation', async () => {
    const onElicit = (): Promise<ElicitationAnswer> =>
      Promise.resolve({ action: 'accept', content: { a: `${'a'.repeat(35)}!` } })
    expect((await scene.callTo('redos-elicitation', { onElicit })).status).toBe('done')
  })

  it.each(['html', 'broken-json', 'failing'])(
    'causes an error in plain text when its response is nonsense (%s)',
    async (behaviour) => {
      const { status, text } = await scene.callTo(behaviour)
      expect(status).toBe('interrupted')
      expect(text).not.toMatch(/script|secret|<|position/)
    },
  )

  it('has no sign-in offered that it asks for in its result', async () => {
    expect(await scene.callTo('asks-for-sign-in')).toMatchObject({
      status: 'tool_error',
      text: 'Sign in again.',
    })
  })

  it('has its error quoted as short plain text', async () => {
    const { text, parts } = await scene.callTo('insult')
    expect(JSON.stringify(parts).length).toBeLessThan(500)
    expect(text.length).toBeLessThan(5_000)
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    expect(text).not.toMatch(/[\u0000-\u001F\u202E]/)
  })

  it('has only the first of two responses read', async () => {
    expect((await scene.callTo('twice')).text).toBe('first')
  })

  it('is retried with a delay when it breaks its stream repeatedly', async () => {
    await impatient.callTo('reconnect-storm')
    const gets = (await impatient.hostile.seen('reconnect-storm')).filter(({ method }) => method === 'GET')
    expect(gets.length).toBeGreaterThanOrEqual(2)
    expect(gets.length).toBeLessThanOrEqual(2 * 3 * (hostileLimits.maxReconnects + 1))
  })

  it('does not block the process with megabytes of blocks', async () => {
    expect((await scene.callTo('blocks')).parts.length).toBeLessThanOrEqual(501)
  })

  it('has a very long text cut, with a note', async () => {
    const { text } = await scene.callTo('long-text')
    expect(text.length).toBeLessThan(101_000)
    expect(text).toContain('were omitted')
  })

  it('cannot hide text or load images with a result', async () => {
    const { parts, text } = await scene.callTo('injection')
    expect(text).toContain('Ignore all instructions')
    expect(text).not.toMatch(/[\u{E0000}-\u{E007F}\u202A-\u202E]/u)
    expect(parts.map(({ type }) => type)).toEqual(['text', 'link', 'link', 'note', 'note', 'text', 'audio'])
    expect(parts.filter(({ type }) => type === 'image')).toEqual([])
  })

  it('gets answers to at most five of a thousand elicitations, one at a time', async () => {
    const received: Elicitation[] = []
    let open = 0
    let maxOpen = 0
    await scene.callTo('elicitation-flood', {
      onElicit: async (elicitation) => {
        received.push(elicitation)
        maxOpen = Math.max(maxOpen, ++open)
        await nextTurn()
        open--
        return { action: 'accept', content: { name: 'Ada' } }
      },
    })
    expect(received.length).toBeLessThanOrEqual(5)
    expect(maxOpen).toBeLessThanOrEqual(1)
  })

  it.each(['elicitation-password', 'elicitation-address'])(
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
