import { once } from 'node:events'
import { createServer, request as sendRequest, type IncomingHttpHeaders } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface ProxyFaults {
  /** Replaces the Host header by that of the server. */
  readonly replacesHost?: boolean
  /** Decodes `%2F` in paths. */
  readonly decodesPaths?: boolean
  /** Sends a response only when it is complete. */
  readonly buffers?: boolean
  /** Redirects every request to this origin. */
  readonly redirectsTo?: string
  /** What it does with `X-Forwarded-For`; by default it adds the address of its client. */
  readonly forwardedFor?: 'kept' | 'removed'
}

/** Starts a reverse proxy in front of a server on this machine. */
export async function startProxy(
  { port, serverPort, clientAddress }: { port: number; serverPort: number; clientAddress: string },
  faults: ProxyFaults = {},
): Promise<{ close(): Promise<void> }> {
  const writeHeaders = (received: IncomingHttpHeaders): IncomingHttpHeaders => {
    const { 'x-forwarded-for': forwardedFor, ...headers } = received
    const added = faults.forwardedFor === undefined ? [clientAddress] : []
    const hops = [...(faults.forwardedFor === 'removed' ? [] : [forwardedFor ?? []].flat()), ...added]
    return {
      ...headers,
      'x-forwarded-proto': 'http',
      ...(hops.length > 0 && { 'x-forwarded-for': hops.join(', ') }),
      ...(faults.replacesHost === true && { host: `127.0.0.1:${serverPort}` }),
    }
  }
  const proxy = createServer((incoming, outgoing) => {
    const url = incoming.url ?? ''
    if (faults.redirectsTo !== undefined)
      return void outgoing.writeHead(301, { location: faults.redirectsTo + url }).end()
    const path = faults.decodesPaths === true ? url.replaceAll('%2F', '/') : url
    const headers = writeHeaders(incoming.headers)
    const forwarded = sendRequest({ host: '127.0.0.1', port: serverPort, path, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, { 'content-type': response.headers['content-type'] })
      if (faults.buffers !== true) return void response.pipe(outgoing)
      return void buffer(response).then(
        (body) => outgoing.end(body),
        () => outgoing.destroy(),
      )
    })
    forwarded.on('error', () => outgoing.writeHead(502).end())
    outgoing.on('close', () => forwarded.destroy())
    forwarded.end()
  })
  proxy.listen(port, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    async close() {
      proxy.closeAllConnections()
      proxy.close()
      await once(proxy, 'close')
    },
  }
}
