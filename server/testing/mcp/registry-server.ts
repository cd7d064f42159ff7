import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RegistryServer {
  readonly url: string
  /** The path and query of each request. */
  readonly requests: string[]
  /** The pages it serves, each a list of entries; a number is a response status. */
  pages: (readonly unknown[] | number)[]
  close(): Promise<void>
}

/** Starts a connector registry that responds like the official one. */
export async function startRegistryServer(): Promise<RegistryServer> {
  const requests: string[] = []
  const registry: RegistryServer = {
    url: '',
    requests,
    pages: [],
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://registry')
    requests.push(`${pathname}?${searchParams.toString()}`)
    const index = Number(searchParams.get('cursor') ?? 0)
    const page = registry.pages[index] ?? []
    if (typeof page === 'number') {
      response.writeHead(page).end()
      return
    }
    const nextCursor = index + 1 < registry.pages.length ? { nextCursor: String(index + 1) } : {}
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ servers: page, metadata: { count: page.length, ...nextCursor } }))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return Object.assign(registry, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}
