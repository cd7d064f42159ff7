import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { endMarker } from '@yonder/contract/lib/event-stream'
import { planDemoReply, type DemoReply } from './plan-demo-reply.ts'
import { readDemoRequest } from './read-demo-request.ts'

export interface DemoModel {
  /** The base address for a bot, ending in `/v1`. */
  readonly baseUrl: string
  close(): Promise<void>
}

export interface DemoModelOptions {
  /** Milliseconds between two chunks of about a word; 12 looks like a fast model. */
  readonly paceMs?: number
  /** 0 lets the system choose. */
  readonly port?: number
  /** Receives errors of the server, for example when the process has no free file descriptor for a connection. */
  readonly onError?: (error: unknown) => void
}

const name = 'demo'
const maxBodyBytes = 8 * 1024 * 1024

/**
 * Starts the built-in demo model: an OpenAI-compatible server on its own loopback port, so that an installation
 * without a key uses the same code path as every other.
 */
export function startDemoModel({
  paceMs = 12,
  port = 0,
  onError = () => undefined,
}: DemoModelOptions = {}): Promise<DemoModel> {
  const server = createServer((request, response) => {
    respond(request, response, paceMs).catch(() => response.destroy())
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.on('error', onError)
      const address = server.address()
      const chosen = typeof address === 'object' && address !== null ? address.port : port
      resolve({ baseUrl: `http://127.0.0.1:${chosen}/v1`, close: () => close(server) })
    })
  })
}

function close(server: ReturnType<typeof createServer>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

async function respond(request: IncomingMessage, response: ServerResponse, paceMs: number): Promise<void> {
  if (request.method !== 'POST' || request.url?.split('?')[0] !== '/v1/chat/completions') {
    return sendError(response, 404, 'The demo model only has POST /v1/chat/completions.')
  }
  const demoRequest = readDemoRequest(await readBody(request))
  if (demoRequest === undefined)
    return sendError(response, 400, 'The request is not a chat completion request.')
  const reply = planDemoReply(demoRequest.messages, demoRequest.tools)
  if (reply.kind === 'failure') return sendError(response, 500, reply.message)
  const outputTokens = countTokens(reply.reasoning + reply.text)
  const usage = {
    prompt_tokens: demoRequest.messages.reduce((sum, message) => sum + countTokens(message.content), 0),
    completion_tokens: outputTokens,
    total_tokens: 0,
  }
  usage.total_tokens = usage.prompt_tokens + usage.completion_tokens
  if (demoRequest.stream) await stream(response, reply, { paceMs, maxTokens: demoRequest.maxTokens, usage })
  else sendWhole(response, reply, usage)
}

interface StreamOptions {
  readonly paceMs: number
  readonly maxTokens: number
  readonly usage: object
}

async function stream(response: ServerResponse, reply: DemoReply, options: StreamOptions): Promise<void> {
  const closed = new AbortController()
  response.on('close', () => closed.abort())
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const frame = {
    id: 'demo',
    object: 'chat.completion.chunk',
    created: Math.floor(Date.now() / 1000),
    model: name,
  }
  const send = (delta: object, reason: string | null = null) =>
    response.write(
      `data: ${JSON.stringify({ ...frame, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`,
    )

  send({ role: 'assistant', content: '' })
  let remaining = options.maxTokens
  for (const [field, text] of [
    ['reasoning_content', reply.reasoning],
    ['content', reply.text],
  ] as const) {
    for (const chunk of splitWords(text)) {
      if (closed.signal.aborted || remaining-- <= 0) break
      send({ [field]: chunk })
      await wait(options.paceMs * reply.slowdown, undefined, { signal: closed.signal })
    }
  }
  // `remaining` is negative only when a chunk was omitted.
  if (reply.call !== null && remaining >= 0) {
    send({ tool_calls: [{ index: 0, id: reply.call.id, type: 'function', function: reply.call }] })
  }
  send({}, remaining < 0 ? 'length' : reply.call === null ? 'stop' : 'tool_calls')
  response.write(`data: ${JSON.stringify({ ...frame, choices: [], usage: options.usage })}\n\n`)
  response.end(`data: ${endMarker}\n\n`)
}

function sendWhole(response: ServerResponse, reply: DemoReply, usage: object): void {
  const message = {
    role: 'assistant',
    content: reply.text,
    ...(reply.reasoning === '' ? {} : { reasoning_content: reply.reasoning }),
    ...(reply.call === null
      ? {}
      : { tool_calls: [{ id: reply.call.id, type: 'function', function: reply.call }] }),
  }
  const reason = reply.call === null ? 'stop' : 'tool_calls'
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify({
      id: 'demo',
      object: 'chat.completion',
      model: name,
      choices: [{ index: 0, message, finish_reason: reason }],
      usage,
    }),
  )
}

/** Chunks of about a word with the space before it, as models send them. No character is split. */
function splitWords(text: string): readonly string[] {
  return text.match(/\s*\S{1,12}|\s+$/gu) ?? []
}

/** An estimate: a token has about four characters on average. */
function countTokens(text: string): number {
  return Math.ceil(text.length / 4)
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBodyBytes) throw new Error('The request is too long.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function sendError(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message, type: 'demo_error' } }))
}
