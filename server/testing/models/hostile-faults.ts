import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import {
  replyOk,
  beginReply as begin,
  faultUsage as usage,
  sendJson as json,
  type Fault,
  type FaultScene,
} from './fault-scene.ts'
import { openaiFaults } from './openai-faults.ts'

/** Fails with a status, with a retry-after header when one is given. */
function refuse(status: number, retryAfter?: string): Fault {
  return ({ response }) =>
    json(
      response,
      status,
      { error: { message: `refused with ${status}` } },
      retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    )
}

/** Fails the first time and replies every later time. */
function recover(first: Fault): Fault {
  return (scene) => (scene.count === 1 ? first(scene) : replyOk(scene))
}

/** Sends a chunk again and again until the client closes the connection. */
async function sendForever(scene: FaultScene, pauseMs: number, chunk: string): Promise<void> {
  const response = begin(scene)
  while (!response.destroyed) {
    if (!response.write(chunk))
      await Promise.race([
        new Promise((resolve) => response.once('drain', resolve)),
        new Promise((resolve) => response.once('close', resolve)),
      ])
    await wait(pauseMs)
  }
}

/** Sends headers, and then bytes that do not fit them. */
function breakWire(scene: FaultScene, headers: string, bytes: string): void {
  const { socket } = scene.response
  socket?.end(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n${headers}\r\n\r\n${bytes}`)
}

/** Faults of every wire format. */
const wireFaults: Readonly<Record<string, Fault>> = {
  'no-answer': () => undefined,
  silence: (scene) => void begin(scene),
  'silence-after-text': (scene) => void begin(scene).write(scene.shape.text('partial')),
  drip: (scene) => sendForever(scene, 20, ':\n'),
  'bad-chunk': (scene) => breakWire(scene, 'transfer-encoding: chunked', 'zz\r\nnot a chunk\r\n'),
  'long-length': (scene) =>
    breakWire(scene, 'content-length: 100000', scene.shape.start('m') + scene.shape.text('partial')),
  'not-http': (scene) => void scene.response.socket?.end('SSH-2.0-OpenSSH_9.2\r\n'),
  'closed-early': (scene) => void scene.response.socket?.destroy(),
  cut: (scene) => {
    begin(scene).write(scene.shape.text('partial'), () => scene.response.socket?.resetAndDestroy())
  },
  // Ends the response properly in the middle of a reply.
  'no-end': (scene) => void begin(scene).end(scene.shape.text('partial')),
  'broken-json': (scene) =>
    void begin(scene).end(
      `${scene.shape.text('partial')}data: {"broken\n\n${scene.shape.finish('stop', usage)}`,
    ),
  html: ({ response }) =>
    void response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Sign in</title>'),
  'html-as-stream': ({ response }) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('\n <html></html>'),
  plain: ({ response }) =>
    void response.writeHead(200, { 'content-type': 'text/plain' }).end('Hello, I am a server.'),
  'json-error': ({ response }) => json(response, 200, { error: { message: 'the model is asleep' } }),
  empty: ({ response }) => void response.writeHead(200).end(),
  'no-content': ({ response }) => void response.writeHead(204).end(),
  'error-after-text': (scene) =>
    void begin(scene).end(scene.shape.text('partial') + scene.shape.error('the model fell asleep')),
  gzip: ({ response }) =>
    void response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000_000))),
  redirect: ({ response, redirectTarget }) =>
    void response.writeHead(307, { location: redirectTarget }).end(),
  'redirect-inside': ({ response }) => void response.writeHead(308, { location: '/v1/other' }).end(),
  'huge-event': (scene) =>
    void begin(scene).end(scene.shape.text('x'.repeat(1024 * 1024)) + scene.shape.finish('stop', usage)),
  endless: (scene) => sendForever(scene, 0, scene.shape.text('endless '.repeat(500))),
  'tiny-chunks': async (scene) => {
    const response = begin(scene)
    for (let at = 0; at < 5000 && !response.destroyed; at++) response.write(scene.shape.text('x'))
    response.end(scene.shape.finish('stop', usage))
  },
  'refuse-key': ({ response, key }) =>
    json(response, 401, { error: { message: `Incorrect API key provided: ${key}` } }),
  forbidden: refuse(403),
  echo: ({ response, key, body }) =>
    json(response, 400, { error: { message: `bad request with ${key}: ${body}` } }),
  'not-found': refuse(404),
  fine: replyOk,
  'wrong-path': ({ response }) =>
    void response.writeHead(404, { 'content-type': 'text/plain' }).end('Not Found'),
  'unknown-model': ({ response }) =>
    json(response, 404, { error: { message: 'The model `unknown-model` does not exist' } }),
  'no-tools': (scene) => {
    if (scene.body.includes('"tools"'))
      json(scene.response, 400, { error: { message: '"tiny" does not support tools' } })
    else replyOk(scene)
  },
  quota: ({ response }) =>
    json(response, 429, {
      error: {
        message: 'You exceeded your current quota, please check your plan.',
        code: 'insufficient_quota',
      },
    }),
  region: ({ response }) =>
    json(response, 403, {
      error: {
        message: 'Country, region, or territory not supported',
        code: 'unsupported_country_region_territory',
      },
    }),
  'rate-limit': refuse(429),
  'rate-limit-once': recover(refuse(429, '0')),
  'rate-limit-date': recover((scene) => refuse(429, new Date(Date.now() + 1000).toUTCString())(scene)),
  'rate-limit-huge': refuse(429, '1000000000'),
  'rate-limit-negative': recover(refuse(429, '-5')),
  'status-500': refuse(500),
  'status-500-once': recover(refuse(500)),
  'status-503-once': recover(refuse(503)),
  'status-529-once': recover(refuse(529)),
  'odd-headers': (scene) => {
    for (let at = 0; at < 500; at++) scene.response.writeProcessing()
    begin(scene, { 'set-cookie': 'session=1', date: 'Thu, 01 Jan 1970 00:00:00 GMT' }).end(
      scene.shape.text('ok') + scene.shape.finish('stop', usage),
    )
  },
  'broken-tool': (scene) =>
    void begin(scene).end(
      scene.shape.toolCall('c1', 'act', '{"half":') + scene.shape.finish('tool_calls', usage),
    ),
  'cut-tool': (scene) => void begin(scene).end(scene.shape.toolCall('c1', 'act', '{"whole":1}')),
  'split-bytes': async (scene) => {
    const bytes = Buffer.from(
      scene.shape.start('m') + scene.shape.text('añ€😀 done') + scene.shape.finish('stop', usage),
    )
    scene.response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const byte of bytes) {
      scene.response.write(Buffer.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    scene.response.end()
  },
  'split-surrogates': (scene) => {
    begin(scene).end(
      scene.shape.text('smile \uD83D') +
        scene.shape.text('\uDE00 lone \uD83D') +
        scene.shape.text('x\0y') +
        scene.shape.finish('stop', usage),
    )
  },
  'windows-lines': (scene) => {
    begin(scene).end(
      `: hello\n\n${scene.shape.text('ok')}${scene.shape.finish('stop', usage)}`.replaceAll('\n', '\r\n'),
    )
  },
  // An event of an unknown kind, and a text with markup that must stay text.
  'odd-events': (scene) => {
    begin(scene).end(
      `event: execute\nid: 1\nretry: 0\n\n${scene.shape.text('<script>alert(1)</script>')}${scene.shape.finish('stop', usage)}`,
    )
  },
}

/** Every fault, by the name of the model that selects it. */
export const hostileFaults: Readonly<Record<string, Fault>> = { ...wireFaults, ...openaiFaults }
