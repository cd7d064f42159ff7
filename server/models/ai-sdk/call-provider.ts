import type { ProviderFormat } from './formats.ts'
import type { AdapterDeps } from '../adapter.ts'
import { buildModelUrl, nameUpstream, requireKey } from '../endpoint.ts'
import { noteSource, PartQueue } from '../reply-parts.ts'
import { fetchModelBody } from '../upstream/fetch-model-body.ts'
import type { ModelEndpoint } from '../endpoint.ts'
import { toFailedPart } from '../failure.ts'
import { explainRefusal } from '../refusal.ts'
import { modelLimits } from '../adapter.ts'
import type { ModelPart, ModelRequest, ModelStream } from '../model.ts'
import type { ModelCall } from '../upstream/post-model-call.ts'
import { readParts } from './read-parts.ts'
import { writePrompt } from './write-prompt.ts'

type OnParts = (parts: readonly ModelPart[]) => void

/**
 * Calls a model with its provider's AI SDK package. The address checks, limits and retries are the same as for every other
 * model call.
 */
export function callProvider(
  endpoint: ModelEndpoint,
  format: ProviderFormat,
  deps: AdapterDeps,
): ModelStream {
  const { guard, limits = modelLimits, now = Date.now } = deps

  async function call(request: ModelRequest, signal: AbortSignal, onParts: OnParts): Promise<void> {
    const url = buildModelUrl(endpoint, format.defaultPath(request.model), request.model)
    const key = requireKey(endpoint.apiKey)
    guard.requireUrl(url)
    const target = {
      url,
      upstream: nameUpstream(endpoint, url),
      confidential: { key, contents: request.messages.map((message) => message.content) },
    }
    // Only the headers and the body come from the package; the address is always the endpoint's.
    const send: typeof fetch = (_address, init) =>
      fetchModelBody(writeCall(target, init, key, format), {
        dispatcher: guard.dispatcher,
        limits,
        now,
        signal,
        readsEvent: format.readsEvent,
      })
    const settings = { apiKey: key ?? 'none', baseURL: url.origin, fetch: send }
    const model = await format.open(request.model, settings)
    const source = noteSource(format.name, url)
    await readParts(() => model.doStream(writePrompt(request, source)), {
      ...target,
      source,
      limits,
      signal,
      onParts,
    })
  }

  function explain(error: unknown, request: ModelRequest): unknown {
    const url = buildModelUrl(endpoint, format.defaultPath(request.model), request.model)
    return explainRefusal(error, request, nameUpstream(endpoint, url))
  }

  return (request, { signal, onReadable }) => {
    const parts = new PartQueue()
    const onParts: OnParts = (received) => {
      parts.push(received)
      onReadable(parts.isFull)
    }
    async function run(): Promise<void> {
      if (signal.aborted) return
      try {
        await call(request, signal, onParts)
      } catch (error) {
        if (!signal.aborted) onParts([toFailedPart(parts.hasContent ? error : explain(error, request))])
      }
    }
    return { drain: () => (signal.aborted ? [] : parts.drain()), closed: run() }
  }
}

function writeCall(
  target: Omit<ModelCall, 'headers' | 'body'>,
  init: RequestInit | undefined,
  key: string | null,
  format: ProviderFormat,
): ModelCall {
  const headers = new Headers(init?.headers)
  headers.delete('user-agent')
  if (key === null) headers.delete(format.keyHeader)
  return {
    ...target,
    headers: Object.fromEntries(headers),
    body: typeof init?.body === 'string' ? init.body : '',
  }
}
