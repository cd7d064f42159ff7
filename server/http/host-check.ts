import type { FastifyInstance } from 'fastify'
import { AppError } from '../lib/app-error.ts'

const unpinned = new Set(['/healthz', '/readyz', '/metrics'])
const loopbackNames = new Set(['127.0.0.1', 'localhost', '[::1]'])

/**
 * Answers only under the public address, so that no forged Host reaches a link or a redirect and no other name can be
 * pointed at this machine. A page asked for under another loopback name is sent to the public one: sign-in returns there.
 */
export function registerHostCheck(app: FastifyInstance, publicUrl: string): void {
  const { host } = new URL(publicUrl)
  app.addHook('onRequest', async (request, reply) => {
    // "GET http://elsewhere/" is how a proxy is asked; as a redirect it would lead there.
    if (!request.url.startsWith('/')) throw new AppError('invalid_request', 'This server is no proxy.')
    if (request.headers.host === host || unpinned.has(request.url.split('?')[0] ?? '')) return
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
