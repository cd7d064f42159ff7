import { existsSync, readdirSync } from 'node:fs'
import { sep } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { AppError } from '../lib/app-error.ts'

/** Pages that everyone with their link can read. Search engines must not index them. */
const unlisted = /^\/share(\/|$|\?)/

/** The path of a file with a hash in its name, below the folder of the web app. */
const hashed = /^[\\/]?assets[\\/]/

/**
 * Serves the built web app. Files with a hash in their name may be cached for a year. A GET of a path without a route
 * or a file returns `index.html`, whose script shows the screen for the path, except below `/api`, `/oidc` and
 * `/assets`.
 */
export async function registerWebRoutes(app: FastifyInstance, webRoot: string): Promise<void> {
  const built = existsSync(webRoot)
  // One handler for all files: a route for each of them would slow down the start.
  const files = new Set(built ? listFiles(webRoot) : [])
  if (built) {
    await app.register(fastifyStatic, {
      root: webRoot,
      serve: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders(reply, path) {
        // The handler below has set the header for `index.html`.
        if (reply.hasHeader('cache-control')) return
        reply.header(
          'cache-control',
          hashed.test(path.slice(webRoot.length)) ? 'public, max-age=31536000, immutable' : 'no-cache',
        )
      },
    })
  }
  app.setNotFoundHandler((request, reply: FastifyReply) => {
    const isRead = ['GET', 'HEAD'].includes(request.method)
    const path = request.url.split('?')[0] ?? ''
    if (isRead && files.has(path)) return reply.sendFile(path)
    const isPage = isRead && !/^\/(api|oidc|assets)(\/|$)/.test(path)
    if (!isPage || !built) throw new AppError('not_found', 'This address does not exist. Check its path.')
    if (unlisted.test(request.url))
      reply.headers({ 'cache-control': 'no-store', 'x-robots-tag': 'noindex, nofollow' })
    else reply.header('cache-control', 'no-cache')
    return reply.sendFile('index.html')
  })
}

/** The paths of all files in the folder, as a browser requests them. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath.slice(folder.length)}${sep}${name}`.split(sep).join('/'))
}
