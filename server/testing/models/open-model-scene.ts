import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { ApiType } from '@yonder/contract/bot'
import { expect } from 'vitest'
import { guardedFetch, type GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'
import { modelLimits, type ModelLimits } from '../../models/adapter.ts'
import type { ListedModels } from '../../models/catalogue/listed-models.ts'
import { userMessage, type ModelPart, type ModelRequest } from '../../models/model.ts'
import { openModel } from '../../models/open-model.ts'
import type { DialectMemory } from '../../models/upstream/dialect-memory.ts'
import { sendJson } from './fault-scene.ts'
import { startHostileModel, type HostileModel } from './hostile-model.ts'
import { readReply } from './read-reply.ts'

export const sceneKey = 'sk-canary-0123456789abcdef'
const conversation = 'The gate code of the summer house is seven four one nine.'

/** Limits that tests reach quickly. */
const sceneLimits: ModelLimits = {
  ...modelLimits,
  firstByteTimeoutMs: 800,
  idleTimeoutMs: 800,
  totalTimeoutMs: 2500,
  afterFinishMs: 300,
  maxOutputChars: 100_000,
  maxRetryDelayMs: 2000,
}

interface CallOptions {
  readonly request?: Partial<ModelRequest>
  readonly signal?: AbortSignal
  readonly apiKey?: string | null
  readonly path?: string
  readonly limits?: Partial<ModelLimits>
  readonly guard?: GuardedFetch
  readonly dialects?: DialectMemory
  readonly listedModels?: ListedModels
  readonly onParts?: (parts: readonly ModelPart[]) => void
}

interface ReceivedReply {
  readonly parts: readonly ModelPart[]
  readonly end: ModelPart | undefined
  readonly text: string
  readonly reasoning: string
}

interface ReceivedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Readonly<Record<string, unknown>>
}

/** Upstreams and calls for the tests of all adapters, whatever their format. */
export interface ModelScene {
  readonly hostile: HostileModel
  /** Calls a model and returns everything that it sent, checked against the contract of `ModelStream`. */
  callModel(apiType: ApiType, baseUrl: string, options?: CallOptions): Promise<ReceivedReply>
  /**
   * Starts an upstream of any format. It sends the events for the address of a request, unless `refusal` returns a
   * message: it then fails with a 400 and that message. `seen` are its requests.
   */
  serve(
    events: (url: string) => readonly string[] | undefined,
    refusal?: (body: ReceivedRequest['body']) => string | undefined,
  ): Promise<{ readonly url: string; readonly seen: readonly ReceivedRequest[] }>
  /** Starts an upstream that refuses every request with this status. */
  refuse(status: number, message: string): Promise<{ readonly url: string }>
  /** Waits at most a second until no request is open, and returns how many still are. */
  countOpen(upstream: HostileModel): Promise<number>
  /** Closes what `serve` and `refuse` have opened. */
  closeServers(): void
  close(): Promise<void>
}

/** Starts the hostile model. Calls may go to loopback addresses, and have `sceneLimits` by default. */
export async function openModelScene(): Promise<ModelScene> {
  const hostile = await startHostileModel()
  const guard = guardedFetch({
    policy: { trust: 'userSupplied', allowedPrivateHosts: [], isLoopbackInstallation: true, ownPorts: [] },
    maxRedirects: 0,
  })
  const closing: (() => void)[] = []
  const listen = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => {
      server.close()
      server.closeAllConnections()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  return {
    hostile,
    callModel: (apiType, baseUrl, options = {}) => callModel(guard, apiType, baseUrl, options),
    async serve(events, refusal = () => undefined) {
      const seen: ReceivedRequest[] = []
      const url = await listen((request, response) => {
        const chunks: Buffer[] = []
        request.on('data', (chunk: Buffer) => chunks.push(chunk))
        request.on('end', () => {
          // A request for the list of models has none.
          const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as ReceivedRequest['body']
          seen.push({ url: request.url ?? '', headers: request.headers, body })
          const message = refusal(body)
          if (message !== undefined) return sendJson(response, 400, { error: { message } })
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          for (const event of events(request.url ?? '') ?? []) response.write(event)
          return response.end()
        })
      })
      return { url, seen }
    },
    async refuse(status, message) {
      const url = await listen((request, response) => {
        request.resume()
        sendJson(response, status, { error: { message } })
      })
      return { url }
    },
    async countOpen(upstream) {
      const deadline = Date.now() + 1000
      while (upstream.openRequests > 0 && Date.now() < deadline) await wait(10)
      return upstream.openRequests
    },
    closeServers() {
      for (const close of closing.splice(0)) close()
    },
    async close() {
      await guard.close()
      await hostile.close()
    },
  }
}

async function callModel(
  guard: GuardedFetch,
  apiType: ApiType,
  baseUrl: string,
  options: CallOptions,
): Promise<ReceivedReply> {
  const model = openModel(
    {
      apiType,
      baseUrl,
      apiKey: options.apiKey === undefined ? sceneKey : options.apiKey,
      customApiPath: options.path ?? null,
      addressSource: 'userSupplied',
    },
    {
      guards: { userSupplied: options.guard ?? guard, operatorSupplied: guard },
      limits: { ...sceneLimits, ...options.limits },
      ...(options.dialects === undefined ? {} : { dialects: options.dialects }),
      ...(options.listedModels === undefined ? {} : { listedModels: options.listedModels }),
    },
  )
  const parts: ModelPart[] = []
  const signal = options.signal ?? new AbortController().signal
  await readReply(
    model,
    {
      model: 'wire-model',
      messages: [userMessage(conversation)],
      tools: [],
      maxTokens: null,
      ...options.request,
    },
    {
      signal,
      onParts: (received) => {
        expect(signal.aborted).toBe(false)
        parts.push(...received)
        options.onParts?.(received)
      },
    },
  )
  const ends = parts.filter((part) => part.type === 'finish' || part.type === 'failed')
  if (!signal.aborted) {
    expect(ends).toHaveLength(1)
    expect(parts.at(-1)).toBe(ends[0])
  }
  const join = (type: 'text' | 'reasoning') =>
    parts.map((part) => (part.type === type ? part.text : '')).join('')
  return { parts, end: parts.at(-1), text: join('text'), reasoning: join('reasoning') }
}
