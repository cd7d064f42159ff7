import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/** Pauses a reply until the test opens it. */
export interface Gate {
  readonly opened: Promise<void>
  open(): void
}

/** One step of a reply; a string is a chunk of text. */
export type Step =
  | string
  | Gate
  /** Milliseconds. */
  | { readonly delay: number }
  | { readonly reasoning: string }
  | { readonly toolCall: { readonly id?: string; readonly name: string; readonly arguments: string } }
  | { readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number } }
  | { readonly finish: string }
  /** Raw bytes, for data that no other step can express. */
  | { readonly raw: string | Uint8Array }
  /** Responds with this status instead of a stream; only as the first step. */
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  /** Closes the connection. */
  | { readonly cut: true }

export interface ScriptedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: {
    readonly model?: string
    readonly messages?: readonly { readonly role: string; readonly content: unknown }[]
    readonly [field: string]: unknown
  }
  /** Resolves when the connection is closed (`false`) or the reply is complete (`true`). */
  readonly done: Promise<boolean>
}

export interface ScriptedModel {
  /** Ends in `/v1`. */
  readonly baseUrl: string
  /** Every request so far, the oldest first. */
  readonly requests: readonly ScriptedRequest[]
  /** The number of open connections. */
  readonly openSockets: number
  /** The number of requests whose reply is neither complete nor broken off. */
  readonly openRequests: number
  /** Scripts the reply to the next request that no `when` matches; several are queued. */
  reply(steps: readonly Step[]): void
  /** The number of replies that were scripted with `reply` and not requested yet. */
  readonly waitingReplies: number
  /**
   * Scripts the reply to every request whose last user message contains this text, and with `afterTool` those that
   * continue from a tool's result.
   */
  when(text: string, steps: readonly Step[], afterTool?: readonly Step[]): void
  gate(): Gate
  /** Resolves with the request of this number, from 1, when it has arrived. */
  received(count: number): Promise<ScriptedRequest>
  close(): Promise<void>
}

/** The reply to a request without a script. */
const unscripted: readonly Step[] = ['An answer', ' without a script.']

/** Starts an OpenAI-compatible upstream over real HTTP, with replies scripted by the test. */
export async function startScriptedModel(): Promise<ScriptedModel> {
  const requests: ScriptedRequest[] = []
  const waiting = new Set<() => void>()
  const queue: (readonly Step[])[] = []
  const rules: { text: string; steps: readonly Step[]; afterTool: readonly Step[] }[] = []
  let openSockets = 0
  let openRequests = 0

  function choose(body: ScriptedRequest['body']): readonly Step[] {
    const content = JSON.stringify(
      body.messages?.findLast((message) => message.role === 'user')?.content ?? '',
    )
    const rule = rules.findLast(({ text }) => content.includes(JSON.stringify(text).slice(1, -1)))
    const continues = body.messages?.at(-1)?.role === 'tool'
    return (continues ? rule?.afterTool : rule?.steps) ?? queue.shift() ?? unscripted
  }

  const server = createServer((request, response) => {
    openRequests += 1
    const done = new Promise<boolean>((resolve) => {
      response.on('close', () => {
        openRequests -= 1
        resolve(response.writableFinished)
      })
    })
    void readJson(request)
      .then((body) => {
        requests.push({ url: request.url ?? '', headers: request.headers, body, done })
        for (const check of waiting) check()
        return play(response, choose(body), body.model ?? 'scripted')
      })
      .catch(() => response.destroy())
  })
  server.on('connection', (socket) => {
    openSockets += 1
    socket.on('close', () => (openSockets -= 1))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    baseUrl: `http://127.0.0.1:${portOf(server)}/v1`,
    requests,
    get openSockets() {
      return openSockets
    },
    get openRequests() {
      return openRequests
    },
    reply: (steps) => void queue.push(steps),
    get waitingReplies() {
      return queue.length
    },
    when: (text, steps, afterTool = steps) => void rules.push({ text, steps, afterTool }),
    gate: createGate,
    received: (count) =>
      new Promise((resolve) => {
        const check = () => {
          const request = requests[count - 1]
          if (request === undefined) return
          waiting.delete(check)
          resolve(request)
        }
        waiting.add(check)
        check()
      }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function createGate(): Gate {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function readJson(request: IncomingMessage): Promise<ScriptedRequest['body']> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as ScriptedRequest['body']
}

async function play(response: ServerResponse, steps: readonly Step[], model: string): Promise<void> {
  const [first] = steps
  if (typeof first === 'object' && 'status' in first) {
    response.writeHead(first.status, { 'content-type': 'application/json', ...first.headers })
    response.end(typeof first.body === 'string' ? first.body : JSON.stringify(first.body ?? {}))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  // Sends the headers before the first step, which may be a gate.
  response.flushHeaders()
  let reason: string | undefined
  let calls = 0
  for (const step of steps) {
    if (response.destroyed) return
    if (typeof step === 'object' && 'cut' in step) return void response.destroy()
    if (typeof step === 'object' && 'finish' in step) reason = step.finish
    await playStep(response, step, calls, model)
    if (typeof step === 'object' && 'toolCall' in step) calls += 1
  }
  if (response.destroyed) return
  response.write(frame(model, {}, reason ?? (calls > 0 ? 'tool_calls' : 'stop')))
  response.end('data: [DONE]\n\n')
}

async function playStep(response: ServerResponse, step: Step, calls: number, model: string): Promise<void> {
  if (typeof step === 'string') response.write(frame(model, { content: step }))
  else if ('opened' in step) await step.opened
  else if ('delay' in step) await wait(step.delay)
  else if ('reasoning' in step) response.write(frame(model, { reasoning_content: step.reasoning }))
  else if ('raw' in step) response.write(step.raw)
  else if ('usage' in step)
    response.write(`data: ${JSON.stringify({ model, choices: [], usage: step.usage })}\n\n`)
  else if ('toolCall' in step) {
    const { id = `call${String(calls + 1).padStart(5, '0')}`, name, arguments: text } = step.toolCall
    response.write(
      frame(model, {
        tool_calls: [{ index: calls, id, type: 'function', function: { name, arguments: text } }],
      }),
    )
  }
}

function frame(model: string, delta: object, reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: reason }]
  return `data: ${JSON.stringify({ id: 'scripted', object: 'chat.completion.chunk', model, choices })}\n\n`
}
