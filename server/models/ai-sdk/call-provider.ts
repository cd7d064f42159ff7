import type { AnthropicProvider } from '@ai-sdk/anthropic'
import type { ApiType } from '@yonder/contract/bot'
import type { AdapterDeps } from '../adapter.ts'
import { buildModelUrl, nameUpstream, requireKey } from '../endpoint.ts'
import { noteSource } from '../call-note.ts'
import { fetchModelBody } from '../upstream/fetch-model-body.ts'
import type { ModelEndpoint } from '../endpoint.ts'
import { toFailedPart, refusesTools, withoutTools } from '../failure.ts'
import { modelLimits } from '../adapter.ts'
import type { ModelPart, ModelRequest, ModelStream } from '../model.ts'
import { PartQueue } from '../reply-parts.ts'
import type { ModelCall } from '../upstream/post-model-call.ts'
import { readProviderParts } from './read-parts.ts'
import { writeProviderPrompt } from './write-prompt.ts'

/** A model of a provider package; all of them share this shape. */
export type ProviderModel = ReturnType<AnthropicProvider['languageModel']>
export type ProviderCall = Parameters<ProviderModel['doStream']>[0]

type OnParts = (parts: readonly ModelPart[]) => void

/** What tells one provider package from another. */
export interface ProviderFormat {
  readonly name: ApiType
  /** What is appended to the base address when the endpoint names no path of its own. */
  defaultPath(model: string): string
  readonly keyHeader: string
  /** Opens the package's model. It asks for a key even when there is none to send. */
  open(model: string, settings: { apiKey: string; baseURL: string; fetch: typeof fetch }): ProviderModel
}

/** Speaks a provider's wire format through its package, over the same way out as every other model call. */
export function askProvider(endpoint: ModelEndpoint, format: ProviderFormat, deps: AdapterDeps): ModelStream {
  const { guard, limits = modelLimits, now = Date.now } = deps

  async function ask(request: ModelRequest, signal: AbortSignal, onParts: OnParts): Promise<void> {
    const url = buildModelUrl(endpoint, format.defaultPath(request.model), request.model)
    const key = requireKey(endpoint.apiKey)
    guard.requireUrl(url)
    const frame = {
      url,
      upstream: nameUpstream(endpoint, url),
      guard: { key, contents: request.messages.map((message) => message.content) },
    }
    // The address is ours in every case; the package only fills in headers and body.
    const send: typeof fetch = (_address, init) =>
      fetchModelBody(writeCall(frame, init, key, format), {
        dispatcher: guard.dispatcher,
        limits,
        now,
        signal,
      })
    const model = format.open(request.model, { apiKey: key ?? 'none', baseURL: url.origin, fetch: send })
    const source = noteSource(format.name, url)
    await readProviderParts(() => model.doStream(writeProviderPrompt(request, source)), {
      ...frame,
      source,
      limits,
      signal,
      onParts,
    })
  }

  function explain(error: unknown, { tools, model }: ModelRequest): unknown {
    if (tools.length === 0 || !refusesTools(error)) return error
    return withoutTools(nameUpstream(endpoint, buildModelUrl(endpoint, format.defaultPath(model), model)))
  }

  return (request, { signal, onReadable }) => {
    const parts = new PartQueue()
    const onParts: OnParts = (some) => {
      parts.push(some)
      onReadable(parts.isFull)
    }
    async function run(): Promise<void> {
      if (signal.aborted) return
      try {
        await ask(request, signal, onParts)
      } catch (error) {
        if (!signal.aborted) onParts([toFailedPart(explain(error, request))])
      }
    }
    return { drain: () => (signal.aborted ? [] : parts.drain()), closed: run() }
  }
}

function writeCall(
  frame: Omit<ModelCall, 'headers' | 'body'>,
  init: RequestInit | undefined,
  key: string | null,
  format: ProviderFormat,
): ModelCall {
  const headers = new Headers(init?.headers)
  headers.delete('user-agent')
  if (key === null) headers.delete(format.keyHeader)
  return {
    ...frame,
    headers: Object.fromEntries(headers),
    body: typeof init?.body === 'string' ? init.body : '',
  }
}
