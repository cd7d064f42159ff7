import { type AdapterDeps, modelLimits } from '../adapter.ts'
import { missesThinking, thinkingFor } from '../conversation.ts'
import { buildModelUrl, nameUpstream, readApiKey, type ModelEndpoint } from '../endpoint.ts'
import { toFailedPart } from '../failure.ts'
import { callsOf, confidentialTexts, type ModelPart, type ModelRequest, type ModelStream } from '../model.ts'
import { explainRefusal, optionRefused } from '../refusal.ts'
import { noteSource, PartQueue } from '../reply-parts.ts'
import { callInDialects, type Dialect } from '../upstream/call-in-dialects.ts'
import { fetchModelBody } from '../upstream/fetch-model-body.ts'
import { leaveOut } from '../upstream/optional-fields.ts'
import type { ModelCall } from '../upstream/post-model-call.ts'
import type { ProviderFormat } from './formats.ts'
import { readParts } from './read-parts.ts'
import { writePrompt, type PromptOptions } from './write-prompt.ts'

type OnParts = (parts: readonly ModelPart[]) => void

interface Provider {
  readonly endpoint: ModelEndpoint
  readonly format: ProviderFormat
  readonly deps: AdapterDeps
}

/**
 * Calls a model with its provider's AI SDK package. The address checks, limits and retries are the same as for every
 * other model call.
 */
export function callProvider(
  endpoint: ModelEndpoint,
  format: ProviderFormat,
  deps: AdapterDeps,
): ModelStream {
  const provider = { endpoint, format, deps }

  return (request, { signal, onReadable }) => {
    const parts = new PartQueue()
    const onParts: OnParts = (received) => {
      parts.push(received)
      onReadable(parts.isFull)
    }
    let body = ''
    const onBody = (sent: string): void => {
      body = sent
    }
    async function run(): Promise<void> {
      const upstream = () => nameUpstream(endpoint, urlOf(provider, request))
      try {
        await callInDialects<ProviderDialect>({
          memory: deps.dialects,
          signal,
          open: () => ({
            key: JSON.stringify([format.name, urlOf(provider, request).href, request.model]),
            first: {
              // Google's models give data of calls back, but no thinking.
              thinking:
                format.name === 'google' ? 'own' : thinkingFor(request.model, urlOf(provider, request)),
              signsCalls: false,
              leftOut: [],
            },
          }),
          call: (dialect) => callPackage(provider, request, { ...dialect, signal, onParts, onBody }),
          sentBody: () => body,
          hasContent: () => parts.hasContent,
          adapt: (dialect, rejection) => adaptDialect(dialect, rejection, request),
          explain: (error) => explainRefusal(error, request, upstream),
        })
      } catch (error) {
        if (!signal.aborted) onParts([toFailedPart(error)])
      }
    }
    return { drain: () => (signal.aborted ? [] : parts.drain()), closed: run() }
  }
}

function urlOf({ endpoint, format }: Provider, { model }: ModelRequest): URL {
  return buildModelUrl(endpoint, format.defaultPath(model), model)
}

type ProviderDialect = Dialect & Pick<PromptOptions, 'thinking' | 'signsCalls'>

interface PackageCall extends ProviderDialect {
  readonly signal: AbortSignal
  readonly onParts: OnParts
  readonly onBody: (body: string) => void
}

async function callPackage(
  provider: Provider,
  request: ModelRequest,
  { leftOut, thinking, signsCalls, signal, onParts, onBody }: PackageCall,
): Promise<void> {
  const { endpoint, format } = provider
  const { guard, limits = modelLimits, now = Date.now, findListed } = provider.deps
  const url = urlOf(provider, request)
  const key = readApiKey(endpoint.apiKey)
  guard.requireUrl(url)
  const source = noteSource({ apiType: format.name, url, model: request.model, key })
  const target = {
    url,
    source,
    upstream: nameUpstream(endpoint, url),
    confidential: { key, contents: confidentialTexts(request) },
  }
  const listed = findListed?.(request.model) ?? {}
  const refused = format.findRefused?.(request, listed)
  if (refused !== undefined) throw optionRefused(target.upstream, refused)
  // Only the headers and the body come from the package; the address is always the endpoint's.
  const send: typeof fetch = (_address, init) => {
    const written = writeCall(target, init, key, format)
    const modelCall = { ...written, body: leaveOut(written.body, leftOut) }
    onBody(modelCall.body)
    requireOptions(modelCall, request)
    return fetchModelBody(modelCall, {
      dispatcher: guard.dispatcher,
      limits,
      now,
      signal,
      readsEvent: format.readsEvent,
    })
  }
  const settings = { apiKey: key ?? 'none', baseURL: url.origin, fetch: send }
  const model = await format.open(request.model, settings)
  const prompt = writePrompt(request, {
    thinking,
    signsCalls,
    ...format.writeOptions(request, thinking === 'none' ? '' : source, listed),
    source,
    cacheMark: format.cacheMark,
  })
  await readParts(() => model.doStream(prompt), { ...target, limits, signal, onParts })
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

/** The dialect to try next after a refusal; undefined when no other one would help. */
function adaptDialect(
  dialect: ProviderDialect,
  rejection: string,
  { messages }: ModelRequest,
): ProviderDialect | undefined {
  const hasNotes = messages.some((message) => callsOf(message).some(({ note }) => note !== undefined))
  if (!dialect.signsCalls && /missing a thought_signature/i.test(rejection))
    return { ...dialect, signsCalls: true }
  if (dialect.thinking === 'own' && missesThinking(rejection)) return { ...dialect, thinking: 'every' }
  if (dialect.thinking !== 'none' && hasNotes && /signature|thinking.{0,20}block/i.test(rejection))
    return { ...dialect, thinking: 'none' }
  return undefined
}

/**
 * Checks that the body has the temperature and top-p of the request. A package silently leaves out an option that it
 * knows to be unsupported.
 * @throws ModelFailure `option_refused`
 */
function requireOptions({ body, upstream }: ModelCall, { options = {} }: ModelRequest): void {
  if (options.temperature === undefined && options.topP === undefined) return
  const sent = JSON.parse(body) as Readonly<Record<string, unknown>>
  // Google's options are within another field, and its package leaves none out.
  if (sent['generationConfig'] !== undefined) return
  if (options.temperature !== undefined && sent['temperature'] === undefined)
    throw optionRefused(upstream, 'temperature')
  if (options.topP !== undefined && sent['top_p'] === undefined) throw optionRefused(upstream, 'topP')
}
