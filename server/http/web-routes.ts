import { existsSync } from 'node:fs'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { AppError } from '../lib/app-error.ts'

/** Pages that are public to every user with the link. Search engines must not index them. */
const unlisted = /^\/share(\/|$|\?)/

/**
 * Serves the built web app. Files with a hash in their name may be cached for a year. Every other path returns the page,
 * because routing happens in the browser.
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
        // The not-found handler has set the header for the page.
        if (reply.hasHeader('cache-control')) return
        reply.header(
          'cache-control',
          path.includes('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
        )
      },
    })
  }
  app.setNotFoundHandler((request, reply: FastifyReply) => {
    const isPage = ['GET', 'HEAD'].includes(request.method) && !/^\/(api|oidc|assets)(\/|$)/.test(request.url)
    if (!isPage || !built) throw new AppError('not_found', 'This address does not exist. Check its path.')
    if (unlisted.test(request.url))
      reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' })
    else reply.header('cache-control', 'no-cache')
    return reply.sendFile('index.html')
  })
}
