import { act } from '@testing-library/react'
import type { RunAccepted, RunEvent, StartedEvent, UnnumberedEvent } from '@yonder/contract/completion'
import { createApiClient, type ApiClient, type Upload } from '../lib/api/api-client.ts'
import { makeMessage } from './wire-objects.ts'

export interface SeenRequest {
  readonly route: string
  readonly query: URLSearchParams
  readonly body: unknown
  readonly headers: Headers
  readonly credentials: RequestCredentials | undefined
  /** Of an upload: the file, and how the page follows and aborts it. */
  readonly file?: Blob
  readonly upload?: Upload
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
    sendFile: async (path, headers, file, upload) => {
      upload.onProgress(file.size)
      return this.#serve(path, { method: upload.method ?? 'POST', headers }, { file, upload })
    },
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
   * Accepts the runs that a route requests, once the test sends their first event. The returned function returns the
   * run of the latest request.
   */
  runs(route: string): () => ScriptedRun {
    const runs: ScriptedRun[] = []
    this.on(route, ({ body }) => {
      const run = new ScriptedRun(this)
      run.request = body as ScriptedRun['request']
      runs.push(run)
      return run.response
    })
    return () => runs.at(-1)!
  }

  seen(route: string): readonly SeenRequest[] {
    return this.requests.filter((request) => request.route === route)
  }

  async #serve(
    input: RequestInfo | URL,
    init: RequestInit = {},
    sent?: Pick<SeenRequest, 'file' | 'upload'>,
  ): Promise<Response> {
    const url = new URL(input instanceof Request ? input.url : input, 'http://yonder.example')
    const route = `${init.method ?? 'GET'} ${url.pathname}`
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined
    const request = {
      route,
      query: url.searchParams,
      body,
      headers: new Headers(init.headers),
      credentials: init.credentials,
      ...sent,
    }
    this.requests.push(request)
    const handler = this.#handlers.get(route)
    if (handler === undefined) return failure(404, 'not_found', `No response is scripted for ${route}.`)
    return handler(request)
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

/** A run of the chat 'c1', whose events a test sends over the live stream. */
export class ScriptedRun {
  /** The response to the request for the run. It is sent with the run's first event. */
  readonly response: Promise<Response>
  /** The body of the request. */
  request: { id?: string; userMessageId?: string; parentId?: string | null; messageId?: string } = {}
  readonly #api: ScriptedApi
  #accept: (response: Response) => void = () => undefined
  #replyId: string | undefined
  #seq: number

  /** A run that is already in progress has the reply `replyId` and `after` events. */
  constructor(api: ScriptedApi, replyId?: string, after = 0) {
    this.#api = api
    this.#replyId = replyId
    this.#seq = after
    this.response = new Promise((resolve) => {
      this.#accept = resolve
    })
  }

  /** Sends an event with the next number; before any other event, a first one with an empty reply. */
  send(event: UnnumberedEvent): void {
    if (event.type !== 'started' && this.#replyId === undefined) this.#sendStarted()
    this.#seq += 1
    this.write({ ...event, seq: this.#seq })
  }

  text(content: string): void {
    this.send({ type: 'text', choices: [{ delta: { content } }] })
  }

  end(status: 'complete' | 'stopped' | 'failed' | 'interrupted' = 'complete'): void {
    this.send({ type: 'ended', status })
  }

  /** Sends an event as it is. */
  write(event: RunEvent): void {
    if (event.type === 'started') this.#start(event)
    const messageId = this.#replyId ?? ''
    act(() => this.#api.client.live.emit({ type: 'run', chatId: 'c1', messageId, event }))
  }

  #sendStarted(): void {
    const { id, userMessageId, parentId = null, messageId = 'a9' } = this.request
    const user_message = makeMessage(id ?? userMessageId ?? 'u1', parentId)
    const more = { role: 'assistant', content: '', status: 'streaming' } as const
    this.send({
      type: 'started',
      user_message,
      assistant_message: makeMessage(messageId, user_message.id, more),
    })
  }

  #start(started: StartedEvent): void {
    this.#replyId = started.assistant_message.id
    const accepted: RunAccepted = { chatId: 'c1', started }
    this.#accept(Response.json(accepted, { status: 202 }))
  }
}
