import { existsSync } from 'node:fs'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { AppError } from './app-error.ts'

/**
 * Serves the built browser app: files that carry a hash in their name for a year, and the page itself for every other
 * path, since the router lives in the browser.
 */
export async function registerWebRoutes(app: FastifyInstance, webRoot: string): Promise<void> {
  const built = existsSync(webRoot)
  if (built) {
    await app.register(fastifyStatic, {
      root: webRoot,
      wildcard: false,
      index: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders(reply, path) {
        reply.header(
          'cache-control',
          path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
        )
      },
    })
  }
  app.setNotFoundHandler((request, reply: FastifyReply) => {
    const isPage = ['GET', 'HEAD'].includes(request.method) && !/^\/(api|oidc|assets)(\/|$)/.test(request.url)
    if (!isPage || !built) throw new AppError('not_found', 'There is nothing here.')
    return reply.header('cache-control', 'no-cache').sendFile('index.html')
  })
}
