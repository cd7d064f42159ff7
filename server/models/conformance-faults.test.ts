import { apiTypes } from '@yonder/contract/bot'
import type { ErrorCode } from '@yonder/contract/error'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { guardedFetch } from '../http/outgoing/guarded-fetch.ts'
import { startHostileModel, type HostileModel } from '../testing/models/hostile-model.ts'
import { openModelScene, sceneKey, type ModelScene } from '../testing/models/open-model-scene.ts'

let scene: ModelScene

beforeAll(async () => {
  scene = await openModelScene()
})
afterEach(() => scene.closeServers())
afterAll(() => scene.close())

/** Starts an upstream for one test, so that tests can run at the same time. */
async function withHostile<Result>(run: (upstream: HostileModel) => Promise<Result>): Promise<Result> {
  const upstream = await startHostileModel()
  try {
    return await run(upstream)
  } finally {
    await upstream.close()
  }
}

describe.each(apiTypes)('%s', (apiType) => {
  const failures: Readonly<Record<string, ErrorCode>> = {
    'no-answer': 'upstream_timeout',
    silence: 'upstream_timeout',
    'silence-after-text': 'upstream_timeout',
    drip: 'upstream_timeout',
    'bad-chunk': 'upstream_invalid',
    'long-length': 'upstream_cut',
    'not-http': 'upstream_invalid',
    'closed-early': 'upstream_unreachable',
    cut: 'upstream_cut',
    'no-end': 'upstream_cut',
    'broken-json': 'upstream_invalid',
    html: 'upstream_invalid',
    'html-as-stream': 'upstream_invalid',
    'json-error': 'upstream_error',
    empty: 'upstream_invalid',
    'no-content': 'upstream_invalid',
    'error-after-text': 'upstream_error',
    gzip: 'upstream_invalid',
    redirect: 'upstream_invalid',
    'redirect-inside': 'upstream_invalid',
    'huge-event': 'upstream_invalid',
    endless: 'output_limit',
    'refuse-key': 'upstream_refused_key',
    forbidden: 'upstream_refused_key',
    echo: 'upstream_error',
    'not-found': 'upstream_error',
    'rate-limit': 'upstream_rate_limited',
    'rate-limit-huge': 'upstream_rate_limited',
    'status-500': 'upstream_error',
    'cut-tool': 'upstream_cut',
  }

  it.concurrent.each(Object.entries(failures))('fails the reply for %s with %s', (fault, code) =>
    withHostile(async (upstream) => {
      const { parts, end } = await scene.callModel(apiType, upstream.baseUrl, { request: { model: fault } })
      expect(end).toMatchObject({ type: 'failed', code })
      const message = end?.type === 'failed' ? end.message : ''
      expect(message).toMatch(/^\S.{10,600}[.!?…]$/)
      expect(message).not.toContain(sceneKey)
      expect(message).not.toContain('seven four one nine')
      expect(parts.filter((part) => part.type === 'tool_call')).toEqual([])
      expect(upstream.followedRedirects).toBe(0)
      expect(await scene.countOpen(upstream)).toBe(0)
    }),
  )

  it.concurrent.each(['silence-after-text', 'cut', 'no-end', 'error-after-text', 'broken-json'])(
    'yields the text that arrived before %s',
    async (fault) => {
      expect(
        (await scene.callModel(apiType, scene.hostile.baseUrl, { request: { model: fault } })).text,
      ).toBe('partial')
    },
  )

  it('passes on a call whose arguments are not JSON, marked so that it is never made', () =>
    withHostile(async (upstream) => {
      const { parts, end } = await scene.callModel(apiType, upstream.baseUrl, {
        request: { model: 'broken-tool' },
      })
      // Google sends arguments as a part of its JSON, so a broken one breaks the whole event.
      if (apiType === 'google') return expect(end).toMatchObject({ code: 'upstream_invalid' })
      expect(end).toEqual({ type: 'finish', reason: 'tool_calls' })
      return expect(parts.filter((part) => part.type === 'tool_call')).toMatchObject([
        { name: 'act', arguments: '{"half":', isBroken: true },
      ])
    }))

  const texts: Readonly<Record<string, string>> = {
    'rate-limit-once': 'ok',
    'rate-limit-date': 'ok',
    'rate-limit-negative': 'ok',
    'status-500-once': 'ok',
    'status-503-once': 'ok',
    'status-529-once': 'ok',
    'odd-headers': 'ok',
    'odd-events': '<script>alert(1)</script>',
    'split-bytes': 'añ€😀 done',
    'split-surrogates': 'smile 😀 lone \uFFFDx\uFFFDy',
    'windows-lines': 'ok',
  }

  it.concurrent.each(Object.entries(texts))('completes the reply despite %s', (fault, text) =>
    withHostile(async (upstream) => {
      const reply = await scene.callModel(apiType, upstream.baseUrl, { request: { model: fault } })
      expect(reply.end).toEqual({ type: 'finish', reason: 'stop' })
      expect(reply.text).toBe(text)
      expect(upstream.requestedFaults.length).toBeLessThanOrEqual(2)
    }),
  )

  it('makes at most three attempts, and none after data has arrived', async () => {
    const countRequests = (fault: string) =>
      scene.hostile.requestedFaults.filter((each) => each === fault).length
    for (const [fault, times] of [
      ['status-500', 3],
      ['error-after-text', 1],
      ['cut', 1],
      ['rate-limit-huge', 1],
    ] as const) {
      const before = countRequests(fault)
      await scene.callModel(apiType, scene.hostile.baseUrl, { request: { model: fault } })
      expect([fault, countRequests(fault) - before]).toEqual([fault, times])
    }
  })

  it('distinguishes an unknown name, a closed port and a server without TLS', async () => {
    const { url } = await scene.serve(() => [])
    for (const [address, reason] of [
      ['http://no-such-host.invalid', 'was not found on the network'],
      ['http://127.0.0.1:9', 'refused the connection'],
      [url.replace('http:', 'https:'), 'does not use TLS'],
    ] as const) {
      expect((await scene.callModel(apiType, address)).end).toMatchObject({
        type: 'failed',
        code: 'upstream_unreachable',
        message: expect.stringContaining(reason) as string,
      })
    }
  })

  it('names the setting for a refused address, and the bot for wrong settings', async () => {
    const strict = guardedFetch({
      policy: { trust: 'userSupplied', allowedPrivateHosts: [], isLoopbackInstallation: false, ownPorts: [] },
    })
    const count = scene.hostile.requestedFaults.length
    for (const address of [
      'http://10.0.0.5/v1',
      scene.hostile.baseUrl,
      scene.hostile.baseUrl.replace('127.0.0.1', 'localhost'),
    ]) {
      const refused = (await scene.callModel(apiType, address, { guard: strict })).end
      expect(refused).toMatchObject({ type: 'failed', code: 'address_refused' })
      expect(refused?.type === 'failed' && refused.message).toContain('ALLOWED_PRIVATE_HOSTS')
    }
    expect(scene.hostile.requestedFaults).toHaveLength(count)
    await strict.close()
    const bad = [
      scene.callModel(apiType, 'not an address'),
      scene.callModel(apiType, 'file:///etc/passwd'),
      scene.callModel(apiType, scene.hostile.baseUrl, { path: 'https://elsewhere.example/' }),
      scene.callModel(apiType, scene.hostile.baseUrl, { apiKey: 'key\r\nX-Injected: y' }),
    ]
    for (const { end } of await Promise.all(bad))
      expect(end).toMatchObject({ type: 'failed', code: 'bot_misconfigured' })
  })
})
