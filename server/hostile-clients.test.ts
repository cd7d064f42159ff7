import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SignInSession } from './testing/identity/sign-in-session.ts'
import { startHostileModel, type HostileModel } from './testing/models/hostile-model.ts'
import { startScriptedModel, type ScriptedModel } from './testing/models/scripted-model.ts'
import { createRequestClient, overHttp, type RequestClient } from './testing/send-request.ts'
import { startMain, type MainProcess } from './testing/start-main.ts'

const key = 'sk-canary-91be7c02d5aa4c38'

describe('the running product', () => {
  let product: MainProcess
  let model: ScriptedModel
  let hostile: HostileModel
  let ada: RequestClient

  beforeAll(async () => {
    model = await startScriptedModel()
    hostile = await startHostileModel()
    product = await startMain({
      LOG_LEVEL: 'trace',
      DEFAULT_MODEL_BASE_URL: model.baseUrl,
      DEFAULT_MODEL_API_KEY: key,
      DEFAULT_BOTS: JSON.stringify([{ name: 'Helper', model: 'scripted' }]),
    })
    const { access_token } = await new SignInSession(product.base).join()
    ada = createRequestClient(overHttp(product.base), { authorization: `Bearer ${access_token}` })
  })
  afterAll(async () => {
    await product.remove()
    await Promise.all([model.close(), hostile.close()])
  })

  /** Sends bytes on a new connection. Returns what was received until it was closed, or for `maxMs` milliseconds. */
  function sendBytes(bytes: string | Buffer, { maxMs = 400, end = false } = {}): Promise<string> {
    return new Promise((resolve) => {
      let received = ''
      const socket = connect(product.port, '127.0.0.1')
      const finish = (): void => {
        clearTimeout(timer)
        socket.destroy()
        resolve(received)
      }
      const timer = setTimeout(finish, maxMs)
      socket.on('data', (chunk) => (received += chunk.toString('latin1')))
      socket.on('error', finish)
      socket.on('close', finish)
      socket.write(bytes)
      if (end) socket.end()
    })
  }
  const host = () => `Host: localhost:${product.port}\r\n`
  const statusesOf = (received: string) =>
    [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
  const send = async (content: string, botName = 'Helper') => {
    const { id: chatId } = (await ada.get('/api/chat/id')).json<{ id: string }>()
    const stream = await ada.stream('/api/chat/completions', { chatId, botName, content })
    return { chatId, stream }
  }
  const memory = async () => {
    const metrics = await (await fetch(`${product.base}/metrics`)).text()
    return Number(/^yonder_process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1])
  }
  /** Checks that a well-behaved client is still served. */
  const expectServed = async () => {
    expect(product.alive, product.output()).toBe(true)
    model.reply(['as ', 'ever', { finish: 'stop' }])
    const { stream } = await send('Hello?')
    await stream.ended
    expect(stream.text).toBe('as ever')
  }

  it.each<[string, () => string | Buffer, readonly number[]]>([
    ['bytes that are not HTTP', () => '\x16\x03\x01\x02\0\x01\0\x01\xfc', [400]],
    ['a header of 17 KiB', () => `GET / HTTP/1.1\r\n${host()}X-Big: ${'x'.repeat(17 * 1024)}\r\n\r\n`, [431]],
    [
      'two thousand headers',
      () =>
        `GET / HTTP/1.1\r\n${host()}${Array.from({ length: 2_000 }, (_, at) => `x-${at}: ${'y'.repeat(8)}\r\n`).join('')}\r\n`,
      [431],
    ],
    [
      'a body with two lengths',
      () =>
        `POST /api/bot HTTP/1.1\r\n${host()}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      [400],
    ],
    [
      'two different lengths',
      () => `POST /api/bot HTTP/1.1\r\n${host()}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      [400],
    ],
    ['a folded header', () => `GET / HTTP/1.1\r\n${host()}X-A: b\r\n c\r\n\r\n`, [400]],
    ['bare line feeds', () => `GET /healthz HTTP/1.1\nHost: x\nX: y\n\n`, [400]],
    [
      'chunk extensions of a megabyte',
      () =>
        `POST /api/bot HTTP/1.1\r\n${host()}Content-Type: application/json\r\nAuthorization: ${ada.headers['authorization']}\r\nTransfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(1024 * 1024)}\r\n{}\r\n0\r\n\r\n`,
      [413],
    ],
    [
      'another address in the first line, to be upgraded to',
      () =>
        `GET http://169.254.169.254/ HTTP/1.1\r\n${host()}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      [400, 404],
    ],
    [
      'another address under a name of this machine',
      () => `GET http://169.254.169.254/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`,
      [400, 404],
    ],
    ['a forged name', () => `GET /api/settings HTTP/1.1\r\nHost: evil.example\r\n\r\n`, [400]],
    ['halves of a pair in an address', () => `GET /api/share/%ED%A0%80 HTTP/1.1\r\n${host()}\r\n`, [400]],
  ])('refuses %s with an error that names the problem', async (_what, bytes, allowed) => {
    const received = await sendBytes(bytes())
    const [status = 0] = statusesOf(received)
    expect(allowed, received.slice(0, 500)).toContain(status)
    expect(received).toMatch(/\r\ncontent-type: application\/json; charset=utf-8\r\n/i)
    expect(received).toMatch(/\{"error":\{"code":"[a-z_]+","message":"[^"]/)
    expect(received).not.toMatch(/\r\nlocation:/i)
    expect(product.alive, product.output()).toBe(true)
  })

  it('opens no tunnel, and refuses requests without a host', async () => {
    expect(await sendBytes(`CONNECT 169.254.169.254:80 HTTP/1.1\r\n${host()}\r\n`)).not.toMatch(
      /^HTTP\/1\.1 2/,
    )
    expect(statusesOf(await sendBytes('GET /api/settings HTTP/1.1\r\n\r\n'))).toEqual([400])
    expect(product.alive).toBe(true)
  })

  it('ignores the forwarded host, address and scheme of untrusted clients', async () => {
    const forged = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '6.6.6.6',
      forwarded: 'host=evil.example;proto=https',
      'x-original-url': '/api/bots',
    }
    const stranger = createRequestClient(overHttp(product.base))
    for (const path of [
      '/',
      '/api/settings',
      '/oidc/.well-known/openid-configuration',
      '/oidc/auth?client_id=yonder',
    ]) {
      const response = await stranger.get(path, forged)
      expect(`${JSON.stringify(response.headers)} ${response.body}`, path).not.toMatch(
        /evil\.example|6\.6\.6\.6/,
      )
    }
    expect((await stranger.get('/api/settings', forged)).body).not.toContain('"error"')
  })

  it('responds to pipelined requests in order, and drops those of closed connections', async () => {
    const one = (path: string) => `GET ${path} HTTP/1.1\r\n${host()}\r\n`
    const received = await sendBytes(
      [one('/healthz'), one('/api/bots'), one('/api/none'), one('/healthz')].join(''),
    )
    expect(statusesOf(received)).toEqual([200, 401, 404, 200])
    const half = `POST /api/chat/completions HTTP/1.1\r\n${host()}Content-Length: 100\r\n\r\n{"chatId"`
    await Promise.all([
      ...Array.from({ length: 20 }, () => sendBytes(half, { end: true, maxMs: 300 })),
      ...Array.from({ length: 20 }, () => sendBytes(half, { maxMs: 100 })),
      ...Array.from({ length: 20 }, () => reset(half)),
    ])
    await expectServed()
  })

  /** Sends bytes and then resets the connection. */
  const reset = (bytes: string) =>
    new Promise<void>((resolve) => {
      const socket = connect(product.port, '127.0.0.1', () =>
        socket.write(bytes, () => {
          socket.resetAndDestroy()
          resolve()
        }),
      )
    })

  it('serves other users with bounded memory while readers stall and 200 disconnect', async () => {
    model.when('a flood', [...Array.from({ length: 110 }, () => 'x'.repeat(16_000)), { finish: 'stop' }])
    model.when('a while', [
      ...Array.from({ length: 20 }, (_, at) => [`${at} `, { delay: 20 }]).flat(),
      { finish: 'stop' },
    ])
    await expectServed()
    const before = await memory()
    // Each requests nearly two megabytes and never reads.
    const sockets = Array.from({ length: 10 }, () => connect(product.port, '127.0.0.1'))
    for (const socket of sockets) {
      const { id: chatId } = (await ada.get('/api/chat/id')).json<{ id: string }>()
      socket.on('error', () => undefined)
      socket.pause()
      const body = JSON.stringify({ chatId, botName: 'Helper', content: 'a flood' })
      socket.write(
        `POST /api/chat/completions HTTP/1.1\r\n${host()}Authorization: ${ada.headers['authorization']}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
    }
    for (let round = 0; round < 4; round++) {
      await Promise.all(
        Array.from({ length: 50 }, async (_, at) => {
          const { stream } = await send('a while')
          await wait(at * 2)
          stream.leave()
        }),
      )
    }
    await expectServed()
    for (const socket of sockets) socket.destroy()
    expect((await memory()) - before).toBeLessThan(200 * 1024 * 1024)
    // The replies without a reader have continued to their end.
    await expect.poll(() => model.openRequests).toBe(0)
  })

  it('logs no key, no token and no text of a conversation', async () => {
    model.when('the summer house', [
      { status: 401, body: { error: { message: `Incorrect API key: ${key}` } } },
    ])
    const { stream } = await send('The code of the summer house is 7419.')
    await stream.ended
    expect(stream.run.status).toBe('failed')
    expect(stream.raw).not.toContain(key)
    for (const fault of ['echo', 'not-http', 'cut']) {
      await ada.post('/api/bot', { name: fault, model: fault, base_url: hostile.baseUrl, api_key: key })
      await (
        await send('The code of the summer house is 7419.', fault)
      ).stream.ended
    }
    const log = product.output()
    expect(log).toContain('"level":')
    for (const secret of [
      key,
      key.slice(6, -6),
      ada.headers['authorization']?.slice(-40) ?? '',
      'summer house',
      '7419.',
    ])
      expect(log.includes(secret), secret).toBe(false)
    expect(log).not.toMatch(/unhandled|uncaught|"level":(50|60)/i)
  })
})
