import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { connect } from 'node:tls'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { Agent, fetch as fetchWith, request, type RequestInit as RequestInitWith } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isConcurrent, openTestDatabase } from '../testing/database/test-database.ts'
import { SignInSession } from '../testing/identity/sign-in-session.ts'
import { startScriptedModel, type ScriptedModel } from '../testing/models/scripted-model.ts'
import { programParameters } from '../testing/program-path.ts'
import { startMain, type MainProcess } from '../testing/start-main.ts'
import {
  hasProxy,
  openProxy,
  proxyNames,
  type Proxy,
  type ProxyName,
  type Replacements,
} from '../testing/start-proxy.ts'

/** A product behind a proxy of Debian, with the example of `deploy/proxies/`. */
interface Scene {
  readonly product: MainProcess
  readonly proxy: Proxy
  /** Sends requests through the proxy, as a user once `signIn` was called. */
  readonly send: typeof fetch
  signIn(): Promise<void>
  newChat(): Promise<string>
  /** Sends a message and returns the data of the events as they arrive. */
  ask(chatId: string): Promise<AsyncIterator<string>>
  listen(path: string): Promise<AsyncIterator<string>>
  close(): Promise<void>
}

let model: ScriptedModel
beforeAll(async () => {
  model = await startScriptedModel()
})
afterAll(() => model.close())

async function openScene(name: ProxyName, changes: Replacements = {}): Promise<Scene> {
  const proxy = await openProxy(name, changes)
  const product = await startMain({
    PUBLIC_URL: proxy.url,
    TRUSTED_PROXIES: '127.0.0.1',
    LOG_LEVEL: 'warn',
    DEFAULT_MODEL_BASE_URL: model.baseUrl,
    DEFAULT_BOTS: JSON.stringify([{ name: 'Helper', model: 'scripted' }]),
    RATE_LIMIT_SHARE_READS: '2',
  })
  await proxy.start(product.port)
  let authorization = ''
  // Another address than the proxy's, whose X-Forwarded-For is trusted.
  const send = createFetch(proxy, '127.0.1.1', () => (authorization === '' ? {} : { authorization }))
  const listen = async (path: string, init: RequestInit = {}) => {
    const response = await send(proxy.url + path, init)
    expect(response.status).toBe(200)
    return readEvents(response)
  }
  return {
    product,
    proxy,
    send,
    listen,
    async signIn() {
      authorization = `Bearer ${(await new SignInSession(proxy.url, send).join()).access_token}`
    },
    async newChat() {
      const { id } = (await (await send(`${proxy.url}/api/chat/id`)).json()) as { id: string }
      return id
    },
    ask: (chatId) =>
      listen('/api/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ chatId, botName: 'Helper', content: 'Count' }),
      }),
    async close() {
      await product.remove()
      await proxy.remove()
    },
  }
}

/** Requests over HTTP/2 from one address of this machine, which trust the certificate of the proxy. */
function createFetch(
  proxy: Proxy,
  localAddress: string,
  headers: () => Record<string, string>,
): typeof fetch {
  const dispatcher = new Agent({ allowH2: true, localAddress, connect: { ca: proxy.certificate } })
  const send = (url: string | URL, init: RequestInit = {}) =>
    fetchWith(url, {
      ...init,
      headers: { ...headers(), ...(init.headers as Record<string, string>) },
      dispatcher,
    } as RequestInitWith)
  return send as unknown as typeof fetch
}

async function* readEvents({ body }: Response): AsyncGenerator<string, void, undefined> {
  const events = body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  for await (const { data } of events ?? []) yield data
}

/** Reads until an event contains the text. Returns all that were read, as one text. */
async function readUntil(events: AsyncIterator<string>, text: string): Promise<string> {
  let all = ''
  while (!all.includes(text)) {
    const { done, value } = await events.next()
    if (done === true) throw new Error(`The stream ended before '${text}': ${all}`)
    all += `${value}\n`
  }
  return all
}

const installed = proxyNames.filter(hasProxy)
const scenes = new Map<ProxyName, Scene>()
/** Streams that were opened first, so that they are idle while the other tests run. */
const idle = new Map<ProxyName, AsyncIterator<string>>()

beforeAll(async () => {
  for (const [name, scene] of await Promise.all(
    installed.map(async (name) => [name, await openScene(name)] as const),
  ))
    scenes.set(name, scene)
  await Promise.all(
    [...scenes].map(async ([name, scene]) => {
      await scene.signIn()
      const live = await scene.listen('/api/live')
      await readUntil(live, '"ready"')
      idle.set(name, live)
    }),
  )
})
afterAll(() => Promise.all([...scenes.values()].map((scene) => scene.close())))

function sceneOf(name: ProxyName): Scene {
  const scene = scenes.get(name)
  if (scene === undefined) throw new Error(`${name} is not running.`)
  return scene
}

for (const name of proxyNames)
  describe.skipIf(!installed.includes(name))(`a server behind ${name}`, () => {
    it('is reached over HTTP/2', async () => {
      const { proxy } = sceneOf(name)
      const socket = connect({
        port: Number(new URL(proxy.url).port),
        servername: 'localhost',
        ca: proxy.certificate,
        ALPNProtocols: ['h2', 'http/1.1'],
      })
      await once(socket, 'secureConnect')
      expect(socket.alpnProtocol).toBe('h2')
      socket.destroy()
    })

    it('sends replies in pieces, and a stream that broke off continues', async () => {
      const { newChat, ask, listen } = sceneOf(name)
      const gate = model.gate()
      model.reply(['One ', gate, 'two', { finish: 'stop' }])
      const chatId = await newChat()
      const broken = await ask(chatId)
      // The model has sent no more than this, so the proxy has not waited for more.
      await readUntil(broken, 'One ')
      await broken.return?.()
      const resumed = await listen(`/api/chat/${chatId}/stream?after=0`)
      await readUntil(resumed, 'One ')
      gate.open()
      expect(await readUntil(resumed, '"ended"')).toContain('two')
    })

    it('finds bots with a slash in their names', async () => {
      const { proxy, send } = sceneOf(name)
      const address = `${proxy.url}/api/bot/${encodeURIComponent('a/b?c%d')}`
      const headers = { 'content-type': 'application/json' }
      const bot = JSON.stringify({ name: 'a/b?c%d', model: 'scripted' })
      const created = await send(`${proxy.url}/api/bot`, { method: 'POST', headers, body: bot })
      expect([created.status, await created.text()]).toEqual([201, expect.anything()])
      expect((await send(address, { method: 'DELETE' })).status).toBe(204)
    })

    it('counts requests by the address of the client, which cannot be forged', async () => {
      const { proxy } = sceneOf(name)
      const read = async (from: string, forged: string) => {
        const send = createFetch(proxy, from, () => ({ 'x-forwarded-for': forged }))
        return (await send(`${proxy.url}/api/share/unknown`)).status
      }
      expect(await read('127.0.3.1', '203.0.113.1')).toBe(404)
      expect(await read('127.0.3.1', '203.0.113.2')).toBe(404)
      expect(await read('127.0.3.1', '203.0.113.3')).toBe(429)
      expect(await read('127.0.4.1', '203.0.113.3')).toBe(404)
    })

    it('refuses a body that is too large with its own message', async () => {
      const { proxy, send } = sceneOf(name)
      const body = JSON.stringify({ content: 'x'.repeat(1_100_000) })
      const headers = { 'content-type': 'application/json' }
      const response = await send(`${proxy.url}/api/chat/completions`, { method: 'POST', headers, body })
      expect(response.status).toBe(413)
      expect(await response.json()).toMatchObject({ error: { message: expect.any(String) } })
    })

    it('takes files of the largest size, also after one that was refused while it was sent', async () => {
      const { proxy, send } = sceneOf(name)
      const headers = { 'content-type': 'application/octet-stream' }
      const upload = (body: Buffer) =>
        send(`${proxy.url}/api/files?name=visit`, { method: 'POST', headers, body })
      const movie = Buffer.alloc(20_000_000)
      movie.write('ftypqt  ', 4, 'latin1')
      const refused = await upload(movie)
      expect([refused.status, await refused.json()]).toMatchObject([
        415,
        { error: { message: expect.stringContaining('This is a video') as string } },
      ])
      expect((await upload(Buffer.alloc(25_000_000, 'a line of a log\n'))).status).toBe(201)
    })

    it('keeps an idle stream open, and works again after a restart', async () => {
      const { product, proxy, send, newChat, ask } = sceneOf(name)
      const live = idle.get(name)
      if (live === undefined) throw new Error('There is no idle stream.')
      await readUntil(live, '"heartbeat"')
      await product.end('SIGTERM')
      while ((await live.next()).done !== true);
      const [response] = await Promise.all([send(`${proxy.url}/api/chat/id`), product.restart()])
      // Caddy and HAProxy wait for the server; nginx says that it is not there.
      expect(response.status).toBe(name === 'nginx' ? 502 : 200)
      model.reply(['Again', { finish: 'stop' }])
      await readUntil(await ask(await newChat()), 'Again')
    })
  })

describe.skipIf(installed.length === 0)('two servers that are restarted one by one', () => {
  it.runIf(isConcurrent('postgres'))(
    'answer every request through each proxy',
    async () => {
      const database = await openTestDatabase('postgres')
      const proxies = await Promise.all(installed.map((name) => openProxy(name)))
      const publicUrl = proxies[0]?.url ?? ''
      const settings = {
        PUBLIC_URL: publicUrl,
        TRUSTED_PROXIES: '127.0.0.1',
        LOG_LEVEL: 'warn',
        DATABASE_URL: database.location.databaseUrl ?? '',
        SECRET_KEY: 'the same secret of both servers, long enough',
        // A twelfth of it is what a server beside another one gives proxies to notice that it ends.
        DRAIN_SECONDS: '36',
        RATE_LIMIT_READS: '100000',
      }
      const nodes = await Promise.all([startMain(settings), startMain(settings)])
      try {
        await Promise.all(proxies.map((proxy) => proxy.start(nodes[0].port, nodes[1].port)))
        const [first] = proxies
        if (first === undefined) throw new Error('There is no proxy.')
        const session = new SignInSession(
          publicUrl,
          createFetch(first, '127.0.1.1', () => ({})),
        )
        const authorization = `Bearer ${(await session.join()).access_token}`
        const counts = new Map<string, number>()
        const restarted = new AbortController()
        const sendAll = async (proxy: Proxy, name: string) => {
          const dispatcher = new Agent({ connect: { ca: proxy.certificate } })
          // The servers know one public address only.
          const headers = { authorization, host: new URL(publicUrl).host, 'content-type': 'application/json' }
          for (let sent = 0; !restarted.signal.aborted || sent < 500; sent++) {
            const isWrite = sent % 5 === 0
            const { statusCode, body } = await request(
              `${proxy.url}/api/${isWrite ? 'chat/stop' : 'bots'}`,
              isWrite
                ? { dispatcher, headers, method: 'POST', body: JSON.stringify({ chatId: 'none' }) }
                : { dispatcher, headers },
            )
            await body.dump()
            const outcome = `${name} ${isWrite ? 'write' : 'read'} ${statusCode}`
            counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
            await wait(10)
          }
        }
        const all = proxies.map((proxy, at) => sendAll(proxy, installed[at] ?? ''))
        for (const node of nodes) {
          expect(await node.end('SIGTERM')).toBe(0)
          await node.restart()
          // Proxies that ask whether it is ready have to notice that, too.
          await wait(2_000)
        }
        restarted.abort()
        await Promise.all(all)
        const expected = installed.flatMap((name) => [`${name} read 200`, `${name} write 404`])
        expect([...counts.keys()].toSorted(), JSON.stringify([...counts])).toEqual(expected.toSorted())
      } finally {
        await Promise.all(nodes.map((node) => node.remove()))
        await Promise.all(proxies.map((proxy) => proxy.remove()))
        await database.close()
      }
    },
    180_000,
  )
})

/** In a process of its own, because Node reads the trusted certificates when it starts. Returns the findings. */
async function runDoctor({ product, proxy }: Scene): Promise<unknown> {
  const certificateFile = join(product.dataDir, 'proxy.pem')
  writeFileSync(certificateFile, proxy.certificate)
  const child = spawn(process.execPath, [...programParameters('yonder.ts'), 'doctor', '--json'], {
    cwd: product.dataDir,
    env: {
      DATA_DIR: product.dataDir,
      PORT: String(product.port),
      PUBLIC_URL: proxy.url,
      TRUSTED_PROXIES: '127.0.0.1',
      NODE_EXTRA_CA_CERTS: certificateFile,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return JSON.parse(await text(child.stdout))
}

describe.skipIf(!hasProxy('nginx'))('a server behind an nginx that buffers', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene('nginx', {
      'proxy_buffering off;': 'proxy_buffering on; proxy_ignore_headers X-Accel-Buffering;',
      // With 1.1, nginx passes on the pieces of a chunked response also when it buffers.
      'proxy_http_version 1.1;': 'proxy_http_version 1.0;',
    })
    await scene.signIn()
  })
  afterAll(() => scene.close())

  it('holds a reply back until it is complete, which loses nothing and is named by doctor', async () => {
    const gate = model.gate()
    model.reply(['One ', gate, 'two', { finish: 'stop' }])
    let hasArrived = false
    const reply = scene.ask(await scene.newChat()).then(async (events) => {
      const first = await events.next()
      hasArrived = true
      return `${first.value}\n${await readUntil(events, '"ended"')}`
    })
    expect(await runDoctor(scene)).toContainEqual({
      check: 'proxy',
      status: 'problem',
      message: expect.stringContaining('The proxy buffers streams') as unknown,
    })
    expect(hasArrived).toBe(false)
    gate.open()
    expect(await reply).toMatch(/One [^]*two/)
  })
})
