import { createServer as createPlainServer, type RequestListener, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { refuseBrokenRequest } from './error-handler.ts'

/** A certificate with the chain to its authority, and its key, as PEM. */
export interface TlsCredentials {
  readonly cert: string
  readonly key: string
}

/** Servers that speak https and answer plain http on the same port. */
export type TlsServers = ReturnType<typeof createTlsServers>

/** The first byte of a TLS connection: the type "handshake" of its first record. A request begins with a letter. */
const handshakeType = 22
/** How long a connection may take to send its first byte, and a plain one until it has its response. */
const maxPlainMs = 10_000

/**
 * HTTP/1.1 only, because Fastify would need another server type for HTTP/2. Browsers rarely reach their limit of six
 * connections to a host, because all tabs of a browser share one stream of live updates.
 */
export function createTlsServers(initial: TlsCredentials) {
  const servers = new Set<Server & { setSecureContext(credentials: TlsCredentials): void }>()
  let credentials = initial
  return {
    /** Creates one server. Fastify calls this for each address that it listens on. */
    create(handler: RequestListener, { requestTimeout = 0 }: { readonly requestTimeout?: number }): Server {
      const server = createSecureServer({ ...credentials, handshakeTimeout: 20_000 }, handler)
      server.requestTimeout = requestTimeout
      divertPlain(server, handler)
      servers.add(server)
      server.on('close', () => servers.delete(server))
      return server
    },
    /** Uses other credentials for new connections. */
    setCredentials(next: TlsCredentials): void {
      credentials = next
      for (const server of servers) server.setSecureContext(next)
    },
  }
}

/** Whether a connection to this process uses TLS. Behind a proxy it may not, although the browser uses https. */
export function isEncrypted(socket: Socket): boolean {
  return socket instanceof TLSSocket
}

/** Lets `handler` answer connections without TLS too, which are recognised by their first byte. */
function divertPlain(server: Server, handler: RequestListener): void {
  const plain = createPlainServer((request, response) => {
    response.shouldKeepAlive = false
    handler(request, response)
  })
  plain.on('clientError', refuseBrokenRequest)
  const open = new Set<Socket>()
  const startTls = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const deadline = setTimeout(() => socket.destroy(), maxPlainMs)
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      clearTimeout(deadline)
      open.delete(socket)
    })
    socket.once('readable', () => {
      const first = socket.read(1) as Buffer | null
      if (first === null) return socket.destroy()
      socket.unshift(first)
      if (first[0] !== handshakeType) return plain.emit('connection', socket)
      clearTimeout(deadline)
      for (const start of startTls) start.call(server, socket)
    })
  })
  const closeAll = server.closeAllConnections.bind(server)
  server.closeAllConnections = () => {
    closeAll()
    for (const socket of open) socket.destroy()
  }
}
