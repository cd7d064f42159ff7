import type { ApiType } from '@yonder/contract/bot'
import { isHeaderSecret, trimSlashes } from '../lib/text.ts'
import { ModelFailure } from './failure.ts'

/** The address of a model, and the key to call it with. */
export interface ModelEndpoint {
  readonly apiType: ApiType
  /** The address without the call's own path, e.g. `https://api.example.com/v1`. */
  readonly baseUrl: string
  readonly apiKey: string | null
  /** Replaces the path that the wire format would append to the address. */
  readonly customApiPath: string | null
  /** Who supplied the address: the operator's is not restricted, a user's is checked. */
  readonly addressSource: 'operatorSupplied' | 'userSupplied'
  /** Set when the key is the operator's, also at an address that a user could have entered. */
  readonly hasOperatorKey?: boolean
  /** Set when the operator has written `customApiPath` (`DEFAULT_BOTS`). */
  readonly hasOperatorPath?: boolean
}

/** A server in the format of OpenAI, without settings of its own. */
export function openaiEndpoint(
  baseUrl: string,
  addressSource: ModelEndpoint['addressSource'],
  apiKey: string | null = null,
): ModelEndpoint {
  return { apiType: 'openai', baseUrl, apiKey, customApiPath: null, addressSource }
}

/**
 * The address of a call: base address and path, joined literally.
 *
 * - A slash at the end of the base address makes no difference; nothing such as `/v1` is added or removed.
 * - The endpoint's own path replaces the default one. A full URL is refused, so the host is always the base address's.
 * - The default path is not added to a base address that already ends with it.
 * - With the operator's address or key, only the calls of the product are made, or the path that the operator has written:
 *   the server of the operator may have other paths, such as those that make keys.
 * - Both the query of the base address and that of the path are sent.
 * - `{model}` in the path is replaced by the model's name.
 *
 * @throws ModelFailure `bot_misconfigured`
 */
export function buildModelUrl(endpoint: ModelEndpoint, defaultPath: string, model: string): URL {
  const base = parseBaseUrl(endpoint.baseUrl)
  const custom = endpoint.customApiPath?.trim() ?? ''
  if (custom !== '') requirePath(custom)
  const [path = '', query] = (custom === '' ? defaultPath : custom).split('?', 2)
  const root = trimSlashes(base.pathname)
  const named = path.replaceAll('{model}', encodeURIComponent(model)).replace(/^\/+/, '')
  base.pathname = custom === '' && root.endsWith(`/${named}`) ? root : `${root}/${named}`
  if (isOperators(endpoint)) requireOperatorPath(endpoint, base.pathname, root, query)
  if (query !== undefined) {
    for (const [name, value] of new URLSearchParams(query)) base.searchParams.append(name, value)
  }
  base.hash = ''
  return base
}

/** Whether a call reveals something of the operator's: its key, or what is in its address. */
export function isOperators({ addressSource, hasOperatorKey }: ModelEndpoint): boolean {
  return addressSource === 'operatorSupplied' || hasOperatorKey === true
}

/** The paths below an address that the product calls, decoded. Names of Google's models may contain slashes. */
const productPaths =
  /^\/(?:chat\/completions|responses|messages|models|(?:models|tunedModels)\/[^?#;\\]+:streamGenerateContent)$/

/**
 * Checks the final path, because the model's name may be a part of it. An encoded character is none of this request's
 * address, but a gateway may decode the path, even more than once, and parse the result as an address again. Parsing
 * removes line breaks and tabs anywhere, and spaces at the end. A server may also remove parameters such as `;x`.
 */
function requireOperatorPath(
  { customApiPath, hasOperatorPath }: ModelEndpoint,
  pathname: string,
  root: string,
  query: string | undefined,
): void {
  const below = decodePath(pathname).slice(decodePath(root).length)
  const isBelow = pathname === root || pathname.startsWith(`${root}/`)
  const hasDots = below.split(/[/\\;?#]/).some((segment) => segment === '..' || segment === '.')
  const isOwnCall =
    (below === '' || productPaths.test(below)) && (!customApiPath?.trim() || query === undefined)
  if (isBelow && !hasDots && (isOwnCall || hasOperatorPath === true)) return
  throw new ModelFailure(
    'bot_misconfigured',
    'The API path or the name of the model of this bot can lead out of the address of the model provider, or to something there that is no model, so nothing was sent. Correct it in the settings of the bot, or enter a base URL and a key of your own.',
  )
}

function decodePath(path: string): string {
  return decodeFully(path).replaceAll(/[\0-\x20]/g, '')
}

/** Decodes the ASCII characters of a path, however often they are encoded: `%2e`, `%252e` and `%25252e` are dots. */
function decodeFully(path: string): string {
  const decoded = path.replaceAll(/%(?:25)*([0-7][\da-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return decoded === path ? path : decodeFully(decoded)
}

function requirePath(text: string): void {
  if (/^[a-z][a-z0-9+.-]*:/i.test(text) || text.startsWith('//') || hasSpaceOrControl(text)) {
    throw new ModelFailure(
      'bot_misconfigured',
      'The API path of this bot is not a path such as /chat/completions. Correct it in the settings of the bot.',
    )
  }
}

function parseBaseUrl(text: string): URL {
  const address = text.trim()
  const url = URL.canParse(address) && !hasSpaceOrControl(address) ? new URL(address) : null
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new ModelFailure(
      'bot_misconfigured',
      'The base URL of this bot is not a web address such as https://api.example.com/v1. Correct it in the settings of the bot.',
    )
  }
  return url
}

/**
 * `new URL` silently removes tabs and line breaks, so an address with one would lead to another server than the text
 * shows.
 */
function hasSpaceOrControl(text: string): boolean {
  return /[\0-\x20\x7f]/.test(text)
}

/**
 * The name of an upstream in messages: the host of a user's address, but not the address of the operator's provider.
 */
export function nameUpstream(endpoint: ModelEndpoint, url: URL): string {
  return endpoint.addressSource === 'userSupplied' ? url.host : 'The model provider'
}

/** Returns what an upstream receives and must not return: the key, and what the address has in place of one. */
export function secretsOf({ apiKey, baseUrl }: ModelEndpoint): readonly string[] {
  const address = URL.canParse(baseUrl.trim()) ? new URL(baseUrl.trim()) : undefined
  const inQuery = [...(address?.searchParams ?? [])].flatMap(([name, value]) =>
    /key|token|secret|code|sig/i.test(name) ? value : [],
  )
  return [apiKey?.trim() ?? '', address?.password ?? '', ...inQuery]
}

/**
 * Returns the key without surrounding spaces, or null when there is none.
 * @throws ModelFailure when a header cannot carry the key
 */
export function readApiKey(apiKey: string | null): string | null {
  const key = apiKey?.trim() ?? ''
  if (key === '') return null
  if (!isHeaderSecret(key)) {
    throw new ModelFailure(
      'bot_misconfigured',
      'The API key of this bot contains a space, a line break or another character that keys cannot contain. Enter it again.',
    )
  }
  return key
}
