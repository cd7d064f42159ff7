import { request as httpRequest } from 'node:http'
import type { Socket } from 'node:net'
import { buildConnector } from 'undici'
import { AppError } from '../../lib/app-error.ts'
import { errorCode } from '../../lib/describe-error.ts'
import type { OutgoingProxies } from '../../lib/outgoing-proxies.ts'
import { bareHost } from './address-policy.ts'

export interface ProxyOptions {
  /** Milliseconds until the proxy, and then its tunnel, must be open. */
  readonly maxConnectMs: number
  /** The certificates of the accepted authorities; those of Node by default. */
  readonly ca: string[] | undefined
}

/** The proxy for an address; null when it is reached directly. */
export function findProxy(
  proxies: OutgoingProxies | null | undefined,
  protocol: string,
  host: string,
  port: number,
): URL | null {
  const proxy = (protocol === 'https:' ? proxies?.https : proxies?.http) ?? null
  return proxy === null || proxies?.isDirect(host, port) === true ? null : proxy
}

/** The value of `Proxy-Authorization` for the user name and password in the address of a proxy; null without any. */
export function proxyCredentials({ username, password }: URL): string | null {
  if (username === '' && password === '') return null
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

/**
 * Opens a connection to a proxy, with TLS when its address begins with https.
 * @throws AppError `upstream_unreachable`
 */
export function connectToProxy(proxy: URL, { maxConnectMs, ca }: ProxyOptions): Promise<Socket> {
  const connect = buildConnector({ timeout: maxConnectMs, ...(ca !== undefined && { ca }) })
  const { protocol, host, hostname } = proxy
  const port = proxy.port || (protocol === 'https:' ? '443' : '80')
  return new Promise((resolve, reject) =>
    connect({ protocol, host, hostname: bareHost(hostname), port }, (...[error, socket]) =>
      error === null
        ? resolve(socket)
        : reject(proxyFailed(proxy, `cannot be reached (${errorCode(error) || error.message})`, error)),
    ),
  )
}

/**
 * Opens a tunnel through a proxy to a host, with the method CONNECT.
 * @throws AppError `upstream_unreachable`
 */
export async function openTunnel(
  proxy: URL,
  options: ProxyOptions,
  host: string,
  port: number,
): Promise<Socket> {
  const socket = await connectToProxy(proxy, options)
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const credentials = proxyCredentials(proxy)
  return new Promise((resolve, reject) => {
    const fail = (what: string, cause?: unknown): void => {
      clearTimeout(timer)
      socket.destroy()
      reject(proxyFailed(proxy, what, cause))
    }
    const timer = setTimeout(() => fail(`did not connect to ${target} in time`), options.maxConnectMs)
    const request = httpRequest({
      method: 'CONNECT',
      path: target,
      createConnection: () => socket,
      headers: { host: target, ...(credentials !== null && { 'proxy-authorization': credentials }) },
    })
    request.once('connect', ({ statusCode = 0 }, _socket, head) => {
      if (statusCode < 200 || statusCode >= 300) return fail(describeStatus(statusCode, target))
      clearTimeout(timer)
      if (head.length > 0) socket.unshift(head)
      resolve(socket)
    })
    request.once('error', (error) =>
      fail(`closed the connection (${errorCode(error) || error.message})`, error),
    )
    request.end()
  })
}

const refusesUser = 'asks for another user name or password'

/** The error for a proxy that refuses the user name and password in its address. */
export function proxyRefusedUser(proxy: URL): AppError {
  return proxyFailed(proxy, refusesUser)
}

function describeStatus(status: number, target: string): string {
  if (status === 407) return refusesUser
  return `${status >= 502 ? 'cannot reach' : 'refuses a connection to'} ${target} (status ${status})`
}

function proxyFailed(proxy: URL, what: string, cause?: unknown): AppError {
  return new AppError(
    'upstream_unreachable',
    `The proxy ${proxy.host}, through which this server sends requests, ${what}. Check the address, or tell the operator of this server, who has set the proxy with HTTPS_PROXY or HTTP_PROXY.`,
    { cause },
  )
}
