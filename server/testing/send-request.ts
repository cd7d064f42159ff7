import { request } from 'node:http'
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'
import { openStream, type TestStream } from './chat/open-stream.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'PATCH'
type Headers = Readonly<Record<string, string>>

export interface SentRequest {
  readonly method: Method
  readonly url: string
  readonly headers?: Headers
  /** Sent unchanged, as JSON unless `headers` name another type. */
  readonly body?: string | Uint8Array
}

/** The part of Fastify's `inject()` response that a response over a socket has too. */
export interface TestResponse {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, number | string | string[] | undefined>>
  /** The whole text; for an event stream over a socket, its first chunk. */
  readonly body: string
  readonly json: LightMyRequestResponse['json']
}

/** Sends requests over a socket (`overHttp`) or directly to an app (`injected`). */
export interface Transport {
  send(request: SentRequest): Promise<TestResponse>
  /** The address of the server, without a final slash. */
  base(): string
}

/** Sends requests with the same headers, such as those of one user, to one server. `body` is sent as JSON. */
export interface RequestClient {
  readonly headers: Headers
  get(url: string, headers?: Headers): Promise<TestResponse>
  post(url: string, body?: unknown, headers?: Headers): Promise<TestResponse>
  put(url: string, body?: unknown, headers?: Headers): Promise<TestResponse>
  patch(url: string, body?: unknown, headers?: Headers): Promise<TestResponse>
  delete(url: string, headers?: Headers): Promise<TestResponse>
  /** Opens an event stream, with POST when there is a body. The server must listen. */
  stream(url: string, body?: unknown, headers?: Headers): Promise<TestStream>
}

/** Creates a client that sends these headers with every request. */
export function createRequestClient(transport: Transport, headers: Headers = {}): RequestClient {
  const send = (method: Method, url: string, body?: unknown, more: Headers = {}): Promise<TestResponse> =>
    transport.send({
      method,
      url,
      headers: { ...headers, ...more },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return {
    headers,
    get: (url, more) => send('GET', url, undefined, more),
    post: (url, body, more) => send('POST', url, body, more),
    put: (url, body, more) => send('PUT', url, body, more),
    patch: (url, body, more) => send('PATCH', url, body, more),
    delete: (url, more) => send('DELETE', url, undefined, more),
    stream: (url, body, more) =>
      openStream({
        method: body === undefined ? 'GET' : 'POST',
        url: transport.base() + url,
        headers: { ...headers, ...more },
        ...(body === undefined ? {} : { body }),
      }),
  }
}

/** Sends requests to the server at `base` (without a final slash), which may be another process. */
export function overHttp(base: string): Transport {
  return {
    send: (sent) => sendRequest({ ...sent, url: base + sent.url }),
    base: () => base,
  }
}

/** Sends requests to an app of this process, without a socket. */
export function injected(app: FastifyInstance): Transport {
  return {
    send: ({ method, url, headers = {}, body }) =>
      app.inject({
        method,
        url,
        headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { payload: Buffer.from(body) }),
      }),
    base: () => app.listeningOrigin,
  }
}

/** The status and the JSON body, to be compared in one assertion, so that a mismatch shows both. */
export function statusAndBody(response: TestResponse): { readonly status: number; readonly body: unknown } {
  return { status: response.statusCode, body: response.json() }
}

/** Sends a request on a connection of its own, and closes a stream after its first chunk. */
export function sendRequest({ method, url, headers = {}, body }: SentRequest): Promise<TestResponse> {
  return new Promise((resolve, reject) => {
    const defaults =
      body === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
    const sent = request(url, { method, agent: false, headers: { ...defaults, ...headers } }, (response) => {
      const chunks: Buffer[] = []
      const finish = (): void => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({
          statusCode: response.statusCode ?? 0,
          headers: response.headers,
          body: text,
          json: () => JSON.parse(text) as never,
        })
        sent.destroy()
      }
      const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (isStream) finish()
      })
      response.on('end', finish)
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
