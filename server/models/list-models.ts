import type { ModelList } from '@yonder/contract/bot'
import type { GuardedFetch } from '../http/outgoing/guarded-fetch.ts'
import { isTimeoutError, withTimeout } from '../lib/abort.ts'
import { AppError } from '../lib/app-error.ts'
import { readCapped } from '../lib/read-capped.ts'
import { trimSlashes } from '../lib/text.ts'
import { WorkerThread } from '../lib/worker-thread.ts'
import type { ModelDeps } from './adapter.ts'
import type { ListedModels } from './catalogue/listed-models.ts'
import {
  buildModelUrl,
  isOperators,
  nameUpstream,
  readApiKey,
  secretsOf,
  type ModelEndpoint,
} from './endpoint.ts'
import { ModelFailure } from './failure.ts'
import { type ListToRead, type ReadList, readModelList } from './read-model-list.ts'
import { describeHttpError, describeNetworkError } from './upstream/describe-failure.ts'

const maxListMs = 2_000
const maxBytes = 2_000_000

const typeNameAdvice = 'Type the name of the model.'

export interface ListDeps extends Pick<ModelDeps, 'guards'> {
  /** How long to wait for the list, instead of two seconds. */
  readonly timeoutMs?: number
  /** Remembers what the list says about its models. */
  readonly listedModels?: Pick<ListedModels, 'remember'>
}

/**
 * Fetches the names of a provider's models.
 * @throws ModelFailure, an AppError of the guard such as `address_refused`, or the reason of an abort
 */
export async function listModels(
  endpoint: ModelEndpoint,
  { guards, timeoutMs = maxListMs, listedModels }: ListDeps,
  signal: AbortSignal,
): Promise<ModelList> {
  const guard = guards[endpoint.addressSource]
  const key = readApiKey(endpoint.apiKey)
  const [first, ...others] = listAddresses(endpoint)
  const upstream = nameUpstream(endpoint, first)
  let response: ListResponse
  try {
    response = await withTimeout(signal, timeoutMs, async (timed) => {
      const headers = headersOf(endpoint, key)
      let latest = await get(guard, first, headers, timed)
      for (const url of others) {
        if (!isMissing(latest)) break
        latest = await get(guard, url, headers, timed)
      }
      return latest
    })
  } catch (error) {
    signal.throwIfAborted()
    throw explain(error, upstream, timeoutMs)
  }
  if (isMissing(response)) {
    throw new ModelFailure(
      'upstream_error',
      `${upstream} has no list of models at this address (${response.status}). Check the base URL, or type the name of the model.`,
    )
  }
  if (response.status !== 200) throw describeHttpError(response, upstream, { key, contents: [] })
  const { names, omitted, described } = await readList(response.body, endpoint, upstream, signal)
  listedModels?.remember(endpoint, new Map(described))
  return { models: [...names], omitted }
}

type ListResponse = Parameters<typeof describeHttpError>[0]

function isMissing({ status }: ListResponse): boolean {
  return status === 404 || status === 405
}

async function get(
  guard: GuardedFetch,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ListResponse> {
  const response = await guard.fetch(url, { headers, signal })
  const body = await readCapped(response, maxBytes)
  return { status: response.status, headers: Object.fromEntries(response.headers), body }
}

function explain(error: unknown, upstream: string, timeoutMs: number): Error {
  if (isTimeoutError(error)) {
    return new ModelFailure(
      'upstream_timeout',
      `${upstream} did not send its list of models within ${timeoutMs / 1000} s. ${typeNameAdvice}`,
    )
  }
  if (error instanceof AppError && error.code === 'output_limit') {
    return new ModelFailure(
      'output_limit',
      `${upstream} sent a list of models of more than ${maxBytes / 1_000_000} MB. ${typeNameAdvice}`,
    )
  }
  if (error instanceof AppError || error instanceof ModelFailure) return error
  return describeNetworkError(error, upstream, false)
}

/** The addresses where the list may be. The first one that exists is used. */
function listAddresses(endpoint: ModelEndpoint): [URL, ...URL[]] {
  const { apiType } = endpoint
  // The list is next to the path of the calls, so a path that is refused to calls is refused here too.
  if (isOperators(endpoint)) buildModelUrl(endpoint, '/models', '')
  const query = apiType === 'anthropic' ? '?limit=1000' : apiType === 'google' ? '?pageSize=1000' : ''
  const list = buildModelUrl({ ...withoutCallPath(endpoint), customApiPath: null }, `/models${query}`, '')
  if (apiType !== 'openai' || isOperators(endpoint)) return [list]
  // Ollama's own list, for an address of Ollama without `/v1`. On the operator's host, users may read no other path.
  return [list, new URL('/api/tags', list)]
}

/** Returns the endpoint without the path of the calls at the end of its address: the list is next to that path. */
function withoutCallPath(endpoint: ModelEndpoint): ModelEndpoint {
  if (!URL.canParse(endpoint.baseUrl)) return endpoint
  const url = new URL(endpoint.baseUrl)
  const [custom = ''] = (endpoint.customApiPath ?? '').trim().split('?', 1)
  const path = trimSlashes(`${trimSlashes(url.pathname)}/${custom.replace(/^\/+/, '')}`)
  const calls = ['/chat/completions', '/messages', '/responses'].find((end) => path.endsWith(end))
  if (calls !== undefined) url.pathname = path.slice(0, -calls.length)
  return { ...endpoint, baseUrl: url.href }
}

function headersOf({ apiType }: ModelEndpoint, key: string | null): Record<string, string> {
  const accept = { accept: 'application/json' }
  switch (apiType) {
    case 'anthropic':
      return { ...accept, 'anthropic-version': '2023-06-01', ...(key !== null && { 'x-api-key': key }) }
    case 'google':
      return { ...accept, ...(key !== null && { 'x-goog-api-key': key }) }
    default:
      return { ...accept, ...(key !== null && { authorization: `Bearer ${key}` }) }
  }
}

/** A longer list is read in a thread. */
const maxDirectChars = 32_000

const thread = new WorkerThread<ListToRead, ReadList>({
  moduleUrl: import.meta.url,
  name: 'model-list-worker',
  maxJobMs: 4_000,
  maxHeapMb: 256,
})

async function readList(
  body: string,
  endpoint: ModelEndpoint,
  upstream: string,
  signal: AbortSignal,
): Promise<Extract<ReadList, { kind: 'read' }>> {
  const list = { body, apiType: endpoint.apiType, secrets: secretsOf(endpoint) }
  const read =
    body.length <= maxDirectChars
      ? readModelList(list)
      : await thread.run(endpoint.baseUrl, list, signal).catch(() => {
          signal.throwIfAborted()
          throw new ModelFailure(
            'upstream_invalid',
            `${upstream} returned a list of models that could not be read. ${typeNameAdvice}`,
          )
        })
  if (read.kind === 'read') return read
  throw new ModelFailure(
    'upstream_invalid',
    read.kind === 'page'
      ? `${upstream} returned a web page instead of a list of models. Check the base URL.`
      : `${upstream} did not return a list of models. Check the base URL and the API type.`,
  )
}
