import type { FastifyInstance } from 'fastify'
import { AppError } from '../lib/app-error.ts'

const uncheckedPaths = new Set(['/healthz', '/readyz', '/metrics'])
const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Serves requests for the public address only, so that no forged Host reaches a link or a redirect and DNS rebinding
 * fails. A page requested under another loopback name is redirected to the public one, where sign-in returns to.
 */
export function registerHostCheck(app: FastifyInstance, publicUrl: string): void {
  const { host } = new URL(publicUrl)
  app.addHook('onRequest', async (request, reply) => {
    // "GET http://elsewhere/" is a request to a proxy. A redirect built from it would lead to that address.
    if (!request.url.startsWith('/')) throw new AppError('invalid_request', 'This server is no proxy.')
    if (request.headers.host === host || uncheckedPaths.has(request.url.split('?')[0] ?? '')) return
    if (request.method === 'GET' && !request.url.startsWith('/api/') && isLoopback(request.headers.host)) {
      return reply.redirect(new URL(request.url.replace(/^\/+/, '/'), publicUrl).href, 302)
    }
    throw new AppError(
      'invalid_request',
      `This address is not served here. Use ${publicUrl} (setting PUBLIC_URL).`,
    )
  })
}

function isLoopback(host: string | undefined): boolean {
  return host !== undefined && loopbackNames.has(host.replace(/:\d+$/, ''))
}
