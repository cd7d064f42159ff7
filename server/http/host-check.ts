import { isIP } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../lib/app-error.ts'
import { plainHttpPage, sendAddressPage, wrongAddressPage } from './address-page.ts'
import { isEncrypted } from './tls-server.ts'

export interface HostCheckOptions {
  /** The origin that users open. */
  readonly publicUrl: string
  /** Whether this process speaks TLS itself. Then pages requested over plain http are redirected. */
  readonly servesTls: boolean
  /** Returns the other names of this machine, without port. Pages requested there are redirected to `publicUrl`. */
  readonly otherHosts: () => readonly string[]
}

/** Served under any host, also over plain http. */
const uncheckedPaths = new Set(['/healthz', '/readyz', '/metrics'])
/**
 * Served over plain http too, because a device needs it before it can trust our certificate. It contains our address, so
 * no page may read it under a name of its own that leads to us.
 */
const authorityPath = '/ca.crt'
const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]'])
/** What visitors can use without signing in, also over plain http. */
const publicPaths = /^\/(share\/|terms$|privacy$)/

/**
 * Refuses requests for another host than the public one, so that no link contains a forged host and DNS rebinding fails. A page requested under another name of this machine is redirected to the public address, because sign-in
 * returns there. A browser gets a page that explains the refusal.
 */
export function registerHostCheck(app: FastifyInstance, options: HostCheckOptions): void {
  const { publicUrl, servesTls, otherHosts } = options
  const { host, hostname } = new URL(publicUrl)
  const canSignIn = isSecureOrigin(publicUrl)
  app.addHook('onRequest', async (request, reply) => {
    // "GET http://other.example/" is a request to a proxy. A redirect built from it would lead to that address.
    if (!request.url.startsWith('/'))
      throw new AppError('invalid_request', 'This server is not a proxy. Request a path such as /api/bots.')
    const path = request.url.split('?')[0] ?? ''
    if (uncheckedPaths.has(path)) return
    const needsTls = servesTls && !isEncrypted(request.raw.socket)
    if (request.headers.host === host && !needsTls) {
      if (!canSignIn && asksForPage(request) && !publicPaths.test(path) && !cameOverTls(request))
        return sendAddressPage(reply, 403, plainHttpPage)
      return
    }
    const name = request.headers.host?.replace(/:\d+$/, '')
    const isOwnName = name !== undefined && (loopbackNames.has(name) || otherHosts().includes(name))
    if (path === authorityPath && (isOwnName || name === hostname || isAddress(name))) return
    if (request.method === 'GET' && !request.url.startsWith('/api/') && (needsTls || isOwnName))
      return reply.redirect(new URL(request.url.replace(/^[/\\]+/, '/'), publicUrl).href, 302)
    if (asksForPage(request)) return sendAddressPage(reply, 400, wrongAddressPage)
    throw new AppError(
      'invalid_request',
      // Without our address: a page of another site can read this when its own name leads to us.
      'This address is not served here. Use the address that the server prints when it starts (setting PUBLIC_URL).',
    )
  })
}

/** Whether a host is an IP address, which no page of another site has. */
function isAddress(host = ''): boolean {
  return isIP(host.replace(/^\[|\]$/g, '')) !== 0
}

/** Whether a browser opens the address, rather than a script or a program. */
function asksForPage({ method, url, headers }: FastifyRequest): boolean {
  return method === 'GET' && !url.startsWith('/api/') && (headers.accept ?? '').includes('text/html')
}

/** Whether a proxy reports that it speaks TLS. The header is not trusted: it only decides whether the page is shown. */
function cameOverTls({ headers }: FastifyRequest): boolean {
  return String(headers['x-forwarded-proto'] ?? '').startsWith('https')
}

/** Whether browsers offer cryptography at this origin, which the sign-in needs. */
export function isSecureOrigin(origin: string): boolean {
  const { protocol, hostname } = new URL(origin)
  return protocol === 'https:' || isLoopbackName(hostname)
}

/** Whether an address with this host always leads to the machine that opens it. */
export function isLoopbackName(host: string): boolean {
  return /^(127\.[\d.]+|\[::1\]|(.+\.)?localhost)$/.test(host)
}
