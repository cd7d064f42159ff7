import type { UnnumberedEvent } from '@yonder/contract/completion'
import { createApiClient, type ApiClient } from '../lib/api/api-client.ts'

export interface SeenRequest {
  readonly route: string
  readonly query: URLSearchParams
  readonly body: unknown
  readonly headers: Headers
  readonly credentials: RequestCredentials | undefined
}

type Handler = (request: SeenRequest) => Response | Promise<Response>

/** A fake server in place of `fetch`: a handler for each route returns the response, and every request is recorded. */
export class ScriptedApi {
  readonly requests: SeenRequest[] = []
  readonly #handlers = new Map<string, Handler>()
  readonly client: ApiClient = createApiClient({
    getAccessToken: async () => 'token',
    onUnauthorized: () => {
      this.signedOut = true
    },
    fetch: async (input, init) => this.#serve(input, init),
  })
  /** For tests of the whole web app, which replace the global `fetch`. */
  readonly fetch: typeof fetch = async (input, init) => this.#serve(input, init)
  /** Whether the client has got a 401. */
  signedOut = false

  /** Sets the handler of a route, for example `on('GET /api/bots', () => json([]))`. */
  on(route: string, handler: Handler): this {
    this.#handlers.set(route, handler)
    return this
  }

  /**
   * Responds to a route with streams that the test writes. Their events are numbered from `after` + 1. The returned
   * function returns the stream of the latest request.
   */
  stream(route: string, after = 0): () => EventStream {
    const streams: EventStream[] = []
    this.on(route, () => {
      const stream = new EventStream(after)
      streams.push(stream)
      return stream.response
    })
    return () => streams.at(-1)!
  }

  seen(route: string): readonly SeenRequest[] {
    return this.requests.filter((request) => request.route === route)
  }

  async #serve(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
    const url = new URL(input instanceof Request ? input.url : input, 'http://yonder.example')
    const route = `${init.method ?? 'GET'} ${url.pathname}`
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined
    const request = {
      route,
      query: url.searchParams,
      body,
      headers: new Headers(init.headers),
      credentials: init.credentials,
    }
    this.requests.push(request)
    const handler = this.#handlers.get(route)
    if (handler === undefined) return failure(404, 'not_found', `No response is scripted for ${route}.`)
    const response = await handler(request)
    init.signal?.addEventListener('abort', () => streams.get(response)?.cut())
    return response
  }
}

export function json(body: unknown): Response {
  return Response.json(body)
}

export function failure(status: number, code: string, message: string, statusText = ''): Response {
  return Response.json({ error: { code, message } }, { status, statusText })
}

/** Gives the page 20 ms to process the responses so far, before a test checks that something did not happen. */
export async function settle(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20))
}

/** The streams of the current test. */
const streams = new Map<Response, EventStream>()

/**
 * Called after each test. The page aborts a stream that a test has left open when nothing has arrived for 40 seconds.
 * If the stream were not forgotten, it would then break, and the page would log that during a later test.
 */
export function forgetStreams(): void {
  streams.clear()
}

/** An event stream that a test writes, event by event. */
export class EventStream {
  readonly response: Response
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined
  #seq: number
  closed = false

  constructor(after = 0) {
    this.#seq = after
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#controller = controller
      },
      cancel: () => {
        this.closed = true
      },
    })
    this.response = new Response(body, { headers: { 'content-type': 'text/event-stream' } })
    streams.set(this.response, this)
  }

  /** Sends an event with the next number. */
  send(event: UnnumberedEvent): void {
    this.#seq += 1
    this.write(JSON.stringify({ ...event, seq: this.#seq }))
  }

  text(content: string): void {
    this.send({ type: 'text', choices: [{ delta: { content } }] })
  }

  end(status: 'complete' | 'stopped' | 'failed' | 'interrupted' = 'complete'): void {
    this.send({ type: 'ended', status })
    this.write('[DONE]')
    this.#controller?.close()
    this.closed = true
  }

  write(data: string): void {
    this.#controller?.enqueue(new TextEncoder().encode(`data: ${data}\n\n`))
  }

  /** Breaks the connection. */
  cut(): void {
    if (this.closed) return
    this.closed = true
    this.#controller?.error(new TypeError('network error'))
  }
}
