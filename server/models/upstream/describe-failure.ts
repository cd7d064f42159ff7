import { describeNetworkFailure, networkCode } from '../../http/outgoing/network-failure.ts'
import { parseJson } from '../../lib/json-object.ts'
import { normalizeText, toVisibleLine } from '../../lib/text.ts'
import { ModelFailure } from '../failure.ts'
import { tooLargeRejection } from '../media-refusal.ts'
import { contextExceeded, findContextWindow, maxRefusalChars, saysContextExceeded } from '../refusal.ts'

/** A response that is treated as a failure. */
export interface FailedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

const dayMs = 86_400_000

const retryableStatuses: readonly number[] = [429, 500, 502, 503, 504, 529]
const retryableErrors: readonly string[] = ['ECONNREFUSED', 'EAI_AGAIN']

/** Whether the connection failed for a reason that may be gone in a moment. */
export function isRetryable(error: unknown): boolean {
  return retryableErrors.includes(networkCode(error))
}

/** The delay before the first retry when the upstream requests none. It grows by as much with each further retry. */
const retryDelayMs = 300

/** Milliseconds to wait before the retry that follows this attempt, when the upstream requests no delay. */
export function defaultRetryDelay(attempt: number, maxDelayMs: number): number {
  return Math.min(maxDelayMs, retryDelayMs * attempt)
}

/**
 * Milliseconds to wait before a retry; `undefined` when a retry would not help, or the upstream requests a delay over
 * `maxDelayMs`.
 */
export function retryDelay(
  response: FailedResponse,
  attempt: number,
  maxDelayMs: number,
  now: number,
): number | undefined {
  if (!retryableStatuses.includes(response.status) || response.body.includes('insufficient_quota'))
    return undefined
  const requested = requestedDelay(response, now)
  if (requested === undefined) return defaultRetryDelay(attempt, maxDelayMs)
  return requested <= maxDelayMs ? requested : undefined
}

function requestedDelay(response: FailedResponse, now: number): number | undefined {
  const header = response.headers['retry-after']
  if (typeof header !== 'string') return undefined
  const seconds = Number(header)
  const wait = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1000
  return Number.isNaN(wait) || wait < 0 ? undefined : wait
}

/** The failure for a refused request, quoting the upstream where that is safe. */
export function describeHttpError(
  response: FailedResponse,
  upstream: string,
  confidential: Confidential,
): ModelFailure {
  const quote = quoteSuffix(quoteUpstream(findUpstreamMessage(response.body), confidential))
  const { status } = response
  const reason = classifyRefusal(response)
  if (reason !== undefined) return describeRefusal(reason, response, upstream, confidential)
  // Groq refuses a request that alone exceeds its tokens per minute with 413, OpenAI with 429. To wait does not help.
  if ((status === 413 || status === 429) && exceedsRate(response.body)) {
    return new ModelFailure(
      'upstream_rate_limited',
      `This request has more tokens than ${upstream} takes from this API key in a minute (${status})${quote} Start a new chat, or raise the limit of the key there.`,
    )
  }
  if (status === 429) {
    const wait = requestedDelay(response, Date.now())
    const when = wait === undefined || wait > dayMs ? 'later' : `in ${formatDelay(wait)}`
    return new ModelFailure(
      'upstream_rate_limited',
      `${upstream} received too many requests (429)${quote} Try again ${when}.`,
    )
  }
  if (status === 204 || status === 205) {
    return new ModelFailure(
      'upstream_invalid',
      `${upstream} returned an empty response (${status}). Check its address and the API path.`,
    )
  }
  if (status >= 300 && status < 400) {
    return new ModelFailure(
      'upstream_invalid',
      `${upstream} returned a redirect (${status}). Redirects are not followed, because the key and the conversation would go to another address. Enter the final address.`,
    )
  }
  if (status === 404 || status === 405) {
    return new ModelFailure(
      'upstream_error',
      `${upstream} has nothing at this path (${status})${quote} Check the base URL and the API path.`,
      response.body,
    )
  }
  if (status === 413) {
    const isNamed = saysContextExceeded(response.body.slice(0, maxRefusalChars))
    if (isNamed) return contextExceeded(upstream, findContextWindow(response.body))
    return contextExceeded(upstream, undefined, tooLargeRejection)
  }
  const rejection = [400, 415, 422, 500, 501].includes(status) ? response.body : ''
  return new ModelFailure(
    'upstream_error',
    `${upstream} returned an error (${status})${quote}${status >= 500 ? ' Try again in a moment.' : ''}`,
    rejection,
  )
}

function exceedsRate(body: string): boolean {
  const text = body.slice(0, maxRefusalChars)
  return /\brequest too large\b/i.test(text) && /\btokens per min|\bTPM\b/i.test(text)
}

type RefusalReason = 'region' | 'quota' | 'key' | 'model'

/** What the known providers write when they refuse a request for a reason that the HTTP status may not show. */
const refusalTexts: Readonly<Record<Exclude<RefusalReason, 'model'>, RegExp>> = {
  region:
    /unsupported_country|\blocation is not supported\b|\bnot (?:available|supported) in your (?:country|region)\b/i,
  quota:
    /insufficient_quota|insufficient (?:balance|credits?)|credit balance is too low|exceeded your current quota/i,
  key: /API_KEY_INVALID|\bAPI key not valid\b|invalid_api_key/i,
}
/** Texts about an unknown model. The last one is Anthropic's, which has only the name of the model. */
const modelTexts = [
  /\bnot a valid model\b|\b(?:unknown|invalid|no such) model\b/i,
  /\bno endpoints found for\b/i,
  /^model: \S+$/,
]
const notFound = /\bnot found\b|\bnot exist\b/i

function classifyRefusal({ status, body }: FailedResponse): RefusalReason | undefined {
  if (status < 400 || status >= 500) return undefined
  const text = body.slice(0, maxRefusalChars)
  if (refusalTexts.region.test(text) || status === 451) return 'region'
  if (refusalTexts.quota.test(text) || status === 402) return 'quota'
  if (status === 401 || status === 403 || refusalTexts.key.test(text)) return 'key'
  // The message is found in the whole body, because JSON that was cut could not be parsed.
  const message = findUpstreamMessage(body)?.trim().slice(0, maxRefusalChars) ?? ''
  const namesModel =
    text.includes('model_not_found') ||
    modelTexts.some((pattern) => pattern.test(message)) ||
    (/\bmodel/i.test(message) && notFound.test(message))
  return namesModel && [400, 404, 422].includes(status) ? 'model' : undefined
}

function describeRefusal(
  reason: RefusalReason,
  { status, body }: FailedResponse,
  upstream: string,
  confidential: Confidential,
): ModelFailure {
  const quote = quoteSuffix(quoteUpstream(findUpstreamMessage(body), confidential))
  switch (reason) {
    case 'region':
      return new ModelFailure(
        'upstream_error',
        `${upstream} does not serve the country or region of this server (${status})${quote} Choose another provider, or a base URL that serves it.`,
      )
    case 'quota':
      return new ModelFailure(
        'upstream_rate_limited',
        `The quota or credit at ${upstream} is used up (${status})${quote} Check the plan and the billing of the API key there.`,
      )
    case 'key':
      return new ModelFailure(
        'upstream_refused_key',
        confidential.key === null
          ? `${upstream} requires an API key, and this bot has none (${status})${quote} Enter one for this bot.`
          : `${upstream} refused the API key (${status})${quote} Check the API key of this bot.`,
      )
    case 'model':
      return new ModelFailure(
        'upstream_error',
        `${upstream} does not know this model (${status})${quote} Check the name of the model.`,
        body,
      )
  }
}

function quoteSuffix(message: string): string {
  if (message === '') return '.'
  return /[.!?…]$/.test(message) ? `: ${message}` : `: ${message}.`
}

/** Formats a time for a message: in seconds below two minutes, else in minutes. */
export function formatDelay(milliseconds: number): string {
  const seconds = Math.max(1, Math.ceil(milliseconds / 1000))
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}

/** The failure for an error that the upstream sent inside a successful response. */
export function describeSentError(
  error: { readonly code: unknown; readonly message: string | undefined },
  upstream: string,
  confidential: Confidential,
): ModelFailure {
  const quote = quoteSuffix(quoteUpstream(error.message, confidential))
  const code = String(error.code)
  if (code === '429' || code.includes('rate_limit')) {
    return new ModelFailure(
      'upstream_rate_limited',
      `${upstream} received too many requests${quote} Try again later.`,
    )
  }
  if (code === '401' || code === '403' || code === 'invalid_api_key' || code === 'authentication_error') {
    return new ModelFailure(
      'upstream_refused_key',
      `${upstream} refused the API key${quote} Check the API key of this bot.`,
    )
  }
  const rejection = `${code}\n${error.message ?? ''}`
  return new ModelFailure('upstream_error', `${upstream} reported an error${quote}`, rejection)
}

/** The failure for a connection that could not be opened, or broke. `hasResponse`: the response had begun. */
export function describeNetworkError(error: unknown, upstream: string, hasResponse: boolean): ModelFailure {
  const { code, message } = describeNetworkFailure(error, upstream, hasResponse)
  return new ModelFailure(code, message)
}

const maxQuoteChars = 300
/**
 * A message is not quoted when any of its windows of this many characters occurs in the conversation. The windows
 * overlap by half, so every repetition of one and a half windows is found.
 */
const repeatedChars = 24

/** What the quoted message of an upstream must not contain: the key, and the conversation that was sent. */
export interface Confidential {
  readonly key: string | null
  readonly contents: readonly string[]
}

/**
 * Finds the message in the body of an upstream's error response: JSON of any shape, or a short text. Returns
 * `undefined` when there is none.
 */
export function findUpstreamMessage(body: string): string | undefined {
  const parsed = parseJson(body)
  if (parsed !== undefined) return findMessage(parsed)
  const text = body.trim()
  return text !== '' && text.length <= maxQuoteChars && !text.startsWith('<') ? text : undefined
}

/** Finds the message in a parsed error of any shape; `undefined` when there is none. Callers leave `depth` out. */
export function findMessage(value: unknown, depth = 0): string | undefined {
  if (typeof value === 'string') return value.trim() === '' ? undefined : value
  if (typeof value !== 'object' || value === null || depth > 4) return undefined
  if (Array.isArray(value)) return findMessage(value[0], depth + 1)
  for (const key of ['message', 'error', 'detail', 'msg', 'error_msg', 'errors'] as const) {
    const found = key in value ? findMessage((value as Record<string, unknown>)[key], depth + 1) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * An upstream's message for a user: on one line, shortened, with keys masked; empty when it repeats the request.
 */
export function quoteUpstream(message: string | undefined, confidential: Confidential): string {
  if (message === undefined) return ''
  const line = toVisibleLine(message)
  if (confidential.contents.some((content) => repeats(line, content))) return ''
  const masked = maskKeys(line, confidential.key)
  return masked.length > maxQuoteChars ? `${normalizeText(masked.slice(0, maxQuoteChars))}…` : masked
}

function repeats(line: string, content: string): boolean {
  const flat = content.replace(/\s+/g, ' ').trim()
  if (flat.length < repeatedChars) return false
  const head = line.slice(0, 2 * maxQuoteChars)
  for (let at = 0; at + repeatedChars <= head.length; at += repeatedChars / 2) {
    if (flat.includes(head.slice(at, at + repeatedChars))) return true
  }
  return head.includes(flat)
}

/**
 * The data of a file that the upstream repeats: a data URL, or a long word in base64. It is found by its form: searching
 * for all that was sent would take long, because that may be many megabytes. Ids of requests are shorter.
 */
const fileData = /(?<=;base64,)[^\s"'`]+|[A-Za-z0-9+/]{40,}={0,2}/g

function maskKeys(line: string, key: string | null): string {
  let masked = line
  if (key !== null && key !== '') {
    const forms = [key, encodeURIComponent(key), Buffer.from(key).toString('base64')]
    for (const form of forms) masked = masked.replaceAll(form, '•••')
  }
  return masked
    .replace(fileData, '•••')
    .replace(/\b(bearer\s+)\S{6,}/gi, '$1•••')
    .replace(/\b(?:sk|pk|rk|gsk|xai)[-_][A-Za-z0-9_*-]{6,}|\bAIza[A-Za-z0-9_-]{8,}/g, '•••')
}
