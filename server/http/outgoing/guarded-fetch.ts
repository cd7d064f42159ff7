import { Agent, fetch as undiciFetch, Headers, type Dispatcher } from 'undici'
import { AppError, findAppError, listCauses } from '../../lib/app-error.ts'
import { bareHost, portOf, requireUrl, type AddressPolicy } from './address-policy.ts'
import { guardedConnector, type ConnectorOptions } from './guarded-connector.ts'
import { findProxy, proxyCredentials, proxyRefusedUser } from './proxies.ts'

export interface GuardedFetchOptions extends ConnectorOptions {
  readonly policy: AddressPolicy
  /** Bytes of one response. A compressed one is refused. */
  readonly maxBytes?: number
  /** Redirects that `fetch` follows within the same origin. */
  readonly maxRedirects?: number
}

/** Sends requests to other servers, under the policy for the source of their addresses. No other code may send any. */
export interface GuardedFetch {
  /** For callers that handle undici's events themselves. It follows no redirect. Call `requireUrl` first. */
  readonly dispatcher: Dispatcher
  /**
   * `fetch` with the same guard. Rejects with an `AppError` `address_refused` when the policy refuses the address, and
   * for a redirect to another origin, more than `maxRedirects`, or any with `redirect: 'error'`. Redirects are followed
   * also with `redirect: 'manual'`, which the MCP and OpenID clients set, because each is checked here.
   */
  readonly fetch: typeof globalThis.fetch
  /** Checks an address as far as possible without a connection. Throws an `AppError` `address_refused`. */
  requireUrl(address: string | URL): URL
  close(): Promise<void>
}

/** The server answered with a redirect that is not followed. */
export class RedirectRefused extends AppError {
  constructor(message: string) {
    super('address_refused', message)
  }
}

type UndiciInit = NonNullable<Parameters<typeof undiciFetch>[1]>

/** Creates a guard with its own sockets, so that a socket opened under another policy is never reused. */
export function guardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { policy, maxBytes = 64 * 1024 * 1024, maxRedirects = 3 } = options
  const agent = new Agent({ connect: guardedConnector(policy, options) })
  const dispatcher = agent.compose(writeForProxy(policy), limitResponse(policy, maxBytes))

  async function follow(address: string | URL, init: RequestInit): Promise<Response> {
    let url = requireUrl(policy, address)
    let request = init
    for (let redirects = 0; ; redirects++) {
      const response = await send(url, request, dispatcher)
      const location = response.headers.get('location')
      if (response.status < 300 || response.status >= 400 || location === null) return response
      await response.body?.cancel()
      url = requireRedirect(policy, url, location)
      if (init.redirect === 'error') throw refuseRedirect('The server redirects.')
      if (redirects >= maxRedirects) throw refuseRedirect('The server redirects too often.')
      request = afterRedirect(response.status, request)
    }
  }

  return {
    dispatcher,
    requireUrl: (address) => requireUrl(policy, address),
    fetch: (input, init) => {
      if (input instanceof Request) return follow(input.url, { ...readRequest(input), ...init })
      return follow(input, init ?? {})
    },
    close: () => agent.destroy(),
  }
}

async function send(url: URL, init: RequestInit, dispatcher: Dispatcher): Promise<Response> {
  const headers = new Headers(init.headers as UndiciInit['headers'])
  headers.set('accept-encoding', 'identity')
  try {
    // Both types of `fetch` are equivalent, but only undici's accepts a dispatcher of this version.
    const sent = { ...init, headers, redirect: 'manual', dispatcher } as UndiciInit
    const response: unknown = await undiciFetch(url.href, sent)
    return response as Response
  } catch (error) {
    // What undici says about a port that the standard of `fetch` forbids, such as that of SMTP.
    if (listCauses(error).some((cause) => cause instanceof Error && cause.message === 'bad port'))
      throw new AppError(
        'address_refused',
        `The port ${url.port} belongs to another protocol. Check the address.`,
      )
    throw findAppError(error) ?? error
  }
}

function requireRedirect(policy: AddressPolicy, from: URL, location: string): URL {
  if (!URL.canParse(location, from.href))
    throw new AppError('address_refused', 'The server redirects to an invalid address.')
  const to = requireUrl(policy, new URL(location, from).href)
  if (to.origin !== from.origin) {
    throw new RedirectRefused(
      `The server redirects to another address (${to.origin}). Such redirects are not followed. Enter the final address.`,
    )
  }
  return to
}

function refuseRedirect(reason: string): AppError {
  return new RedirectRefused(`${reason} Enter the final address.`)
}

/** Like a browser, follows 303, and 301 and 302 after a POST, with a GET without a body. */
function afterRedirect(status: number, init: RequestInit): RequestInit {
  const method = init.method?.toUpperCase() ?? 'GET'
  if (status !== 303 && !((status === 301 || status === 302) && method === 'POST')) return init
  const headers = new Headers(init.headers as UndiciInit['headers'])
  for (const name of ['content-type', 'content-length', 'content-encoding']) headers.delete(name)
  return { ...init, method: 'GET', body: null, headers: [...headers] }
}

function readRequest({ method, headers, body, signal, redirect }: Request): RequestInit {
  // `fetch` requires `duplex` for a body that is a stream.
  return { method, headers, body, signal, redirect, ...(body === null ? {} : { duplex: 'half' }) }
}

/** The proxy that a request over plain http is written for; null when there is none. */
function proxyOf({ proxies }: AddressPolicy, { origin }: Dispatcher.DispatchOptions): URL | null {
  if (proxies === undefined || proxies === null) return null
  const url = new URL(String(origin))
  return url.protocol === 'http:'
    ? findProxy(proxies, url.protocol, bareHost(url.hostname), portOf(url))
    : null
}

/**
 * A request over plain http to a proxy names the whole address and has the credentials for the proxy. One over https goes
 * through a tunnel, which the connector opens.
 */
function writeForProxy(policy: AddressPolicy): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const proxy = proxyOf(policy, options)
    if (proxy === null) return dispatch(options, handler)
    const credentials = proxyCredentials(proxy)
    const headers = credentials === null ? [] : ['proxy-authorization', credentials]
    return dispatch(
      {
        ...options,
        path: new URL(String(options.origin)).origin + options.path,
        headers: [...toHeaderList(options.headers), ...headers],
      },
      handler,
    )
  }
}

/** Undici accepts headers as an object, as pairs, or as a list in which names and values take turns. */
function toHeaderList(headers: Dispatcher.DispatchOptions['headers']): string[] {
  if (headers === undefined || headers === null) return []
  if (Array.isArray(headers) && !Array.isArray(headers[0])) return headers
  const pairs = Symbol.iterator in headers ? [...headers] : Object.entries(headers)
  return (pairs as [string, string | string[] | undefined][]).flatMap(([name, value]) =>
    [value ?? []].flat().flatMap((one) => [name, one]),
  )
}

/**
 * Limits the bytes of every response. Compressed responses, which were not requested, are refused, so that a small body
 * cannot expand into a large one.
 */
function limitResponse(policy: AddressPolicy, maxBytes: number): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, new LimitedHandler(handler, maxBytes, proxyOf(policy, options)))
}

class LimitedHandler implements Dispatcher.DispatchHandler {
  #received = 0
  readonly #inner: Dispatcher.DispatchHandler
  readonly #maxBytes: number
  readonly #proxy: URL | null

  constructor(inner: Dispatcher.DispatchHandler, maxBytes: number, proxy: URL | null) {
    this.#inner = inner
    this.#maxBytes = maxBytes
    this.#proxy = proxy
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#inner.onRequestStart?.(controller, context)
  }

  onRequestUpgrade(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestUpgrade']>>): void {
    this.#inner.onRequestUpgrade?.(...args)
  }

  onResponseStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    const [controller, status, headers] = args
    const encoding = String(headers['content-encoding'] ?? 'identity')
      .trim()
      .toLowerCase()
    const announced = Number(headers['content-length'])
    if (status === 407 && this.#proxy !== null) controller.abort(proxyRefusedUser(this.#proxy))
    else if (encoding !== '' && encoding !== 'identity') {
      controller.abort(
        new AppError(
          'upstream_invalid',
          'The server sent a compressed response although none was requested. Its operator has to turn compression off for such requests.',
        ),
      )
    } else if (announced > this.#maxBytes) {
      controller.abort(this.#tooLarge())
    } else {
      this.#inner.onResponseStart?.(...args)
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const before = this.#received
    this.#received += chunk.length
    if (this.#received <= this.#maxBytes) this.#inner.onResponseData?.(controller, chunk)
    // Later, because the body that undici's `fetch` returns never ends after an error in the same turn as the headers.
    else if (before <= this.#maxBytes) setImmediate(() => controller.abort(this.#tooLarge()))
  }

  onResponseEnd(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>): void {
    if (this.#received <= this.#maxBytes) this.#inner.onResponseEnd?.(...args)
    else setImmediate(() => this.#inner.onResponseError?.(args[0], this.#tooLarge()))
  }

  onResponseError(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseError']>>): void {
    this.#inner.onResponseError?.(...args)
  }

  #tooLarge(): AppError {
    return new AppError(
      'output_limit',
      `The server sent more than ${this.#maxBytes.toLocaleString('en')} bytes.`,
    )
  }
}

/** One guarded fetch for each source of an address, each with sockets of its own. */
export type Guards = ReturnType<typeof openGuards>

/** Opens a guard for each source of addresses. */
export function openGuards(policy: Omit<AddressPolicy, 'trust'>, options: ConnectorOptions = {}) {
  const open = (trust: AddressPolicy['trust']) => guardedFetch({ ...options, policy: { ...policy, trust } })
  const guards = {
    /** Addresses from the settings: not restricted. */
    operatorSupplied: open('operatorSupplied'),
    /** Addresses that a user entered. */
    userSupplied: open('userSupplied'),
    /** Addresses that another server returned. */
    serverSupplied: open('serverSupplied'),
  }
  return {
    ...guards,
    close: async () => {
      await Promise.all(Object.values(guards).map((guard) => guard.close()))
    },
  }
}
