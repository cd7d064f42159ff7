import type { ApiType } from '@yonder/contract/bot'
import type { ListedModel } from '../catalogue/listed-models.ts'
import { missesThinking, thinkingFor } from '../conversation.ts'
import { RefusedOption } from '../failure.ts'
import { callsOf, type ModelOptions, type ModelRequest } from '../model.ts'
import { fetchModelBody } from '../upstream/fetch-model-body.ts'
import { leaveOut } from '../upstream/optional-fields.ts'
import type { Attempt, Dialect, ReplyFormat } from '../upstream/stream-reply.ts'
import { readParts } from './read-parts.ts'
import {
  writePrompt,
  type PromptOptions,
  type ProviderModel,
  type ProviderOptions,
  type WrittenOptions,
} from './write-prompt.ts'

/** The differences between the AI SDK packages of providers. */
export interface PackageFormat {
  readonly apiType: ApiType
  /** The path appended to the base address when the endpoint has no path of its own. */
  defaultPath(model: string): string
  readonly keyHeader: string
  /** Whether the package can read events of this name. An event without a name is a `message`. */
  readonly readsEvent: (name: string) => boolean
  /**
   * Returns the data of an event with the arguments of a call as text, in one or more events. The package would parse an
   * object and write it again, which changes its numbers.
   */
  keepArguments(data: string): readonly string[]
  /** `source` names the upstream (`noteSource`), and `listed` is what its list says about the model. */
  writeOptions(request: ModelRequest, source: string, listed: ListedModel): WrittenOptions
  /** Whether the model reads pictures in the results of tools. */
  readonly readsPicturesInResults: (model: string) => boolean
  /** An option of the request that the model refuses by what the list says. */
  readonly findRefused?: (request: ModelRequest, listed: ListedModel) => keyof ModelOptions | undefined
  /** Marks the end of a prefix of the prompt for the provider's cache; undefined when it caches without marks. */
  readonly cacheMark?: ProviderOptions
  /**
   * Opens the package's model. The packages require an `apiKey` even when there is none to send. A package is loaded
   * with the first call, because most installations do not use it and it takes 80 ms and 12 MB.
   */
  open(
    model: string,
    settings: { apiKey: string; baseURL: string; fetch: typeof fetch },
  ): Promise<ProviderModel>
}

type PackageDialect = Dialect & Pick<PromptOptions, 'thinking' | 'signsCalls'>

/**
 * How models are called with their provider's package. The address checks, limits and retries are the same as for every
 * other model call.
 */
export function ofPackage(format: PackageFormat): ReplyFormat<PackageDialect> {
  return {
    apiType: format.apiType,
    defaultPath: (model) => format.defaultPath(model),
    firstDialect: ({ model }, url) => ({
      // Google's models give data of calls back, but no thinking.
      thinking: format.apiType === 'google' ? 'own' : thinkingFor(model, url),
      signsCalls: false,
      leftOut: [],
    }),
    adaptDialect,
    call: (attempt) => callPackage(format, attempt),
  }
}

async function callPackage(format: PackageFormat, attempt: Attempt<PackageDialect>): Promise<void> {
  const { target, guard, limits, request, dialect, listed, signal, onSent } = attempt
  const { leftOut, thinking, signsCalls } = dialect
  const { url, source, confidential } = target
  const refused = format.findRefused?.(request, listed)
  if (refused !== undefined) throw new RefusedOption(refused)
  // Only the headers and the body come from the package; the address is always the endpoint's.
  const send: typeof fetch = (_address, init) => {
    const headers = new Headers(init?.headers)
    headers.delete('user-agent')
    if (confidential.key === null) headers.delete(format.keyHeader)
    const body = leaveOut(typeof init?.body === 'string' ? init.body : '', leftOut)
    onSent(body)
    requireOptions(body, request)
    return fetchModelBody(
      { ...target, headers: Object.fromEntries(headers), body },
      {
        dispatcher: guard.dispatcher,
        limits,
        signal,
        readsEvent: format.readsEvent,
        keepArguments: (data) => format.keepArguments(data),
      },
    )
  }
  const settings = { apiKey: confidential.key ?? 'none', baseURL: url.origin, fetch: send }
  const model = await format.open(request.model, settings)
  const prompt = writePrompt(request, {
    thinking,
    signsCalls,
    ...format.writeOptions(request, thinking === 'none' ? '' : source, listed),
    source,
    cacheMark: format.cacheMark,
    picturesInResults: format.readsPicturesInResults(request.model),
  })
  await readParts(() => model.doStream(prompt), attempt)
}

/** The dialect to try next after a refusal; undefined when no other one would help. */
function adaptDialect(
  dialect: PackageDialect,
  rejection: string,
  { messages }: ModelRequest,
): PackageDialect | undefined {
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
 * @throws RefusedOption
 */
function requireOptions(body: string, { options = {} }: ModelRequest): void {
  if (options.temperature === undefined && options.topP === undefined) return
  const sent = JSON.parse(body) as Readonly<Record<string, unknown>>
  // Google's options are within another field, and its package leaves none out.
  if (sent['generationConfig'] !== undefined) return
  if (options.temperature !== undefined && sent['temperature'] === undefined)
    throw new RefusedOption('temperature')
  if (options.topP !== undefined && sent['top_p'] === undefined) throw new RefusedOption('topP')
}
