import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { ErrorBody } from '@yonder/contract/error'
import { afterEach, expect, it } from 'vitest'
import { refuseBrokenRequest } from './error-handler.ts'

let server: Server
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** Sends bytes to a server that waits a tenth of a second for a request, and returns its response. */
async function sendBytes(bytes: string): Promise<string> {
  server = createServer(
    { connectionsCheckingInterval: 20, requestTimeout: 100, headersTimeout: 100 },
    (request) => {
      request.on('error', () => undefined).resume()
    },
  )
  server.on('clientError', refuseBrokenRequest)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const socket = connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1')
  socket.write(bytes)
  return text(socket)
}

it.each([
  ['headers that never end', 'GET / HTTP/1.1\r\nHost: x\r\n', 408, 'invalid_request'],
  [
    'a body that never ends',
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{',
    408,
    'invalid_request',
  ],
  [
    'headers that are too large',
    `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'payload_too_large',
  ],
  ['no HTTP', 'hello?\r\n\r\n', 400, 'invalid_request'],
])('refuses %s with an error body and closes the connection', async (_what, bytes, status, code) => {
  const [head = '', body = ''] = (await sendBytes(bytes)).split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
  expect(head).toContain('connection: close')
  expect(head).toContain(`content-length: ${body.length}`)
  expect(ErrorBody.parse(JSON.parse(body)).error.code).toBe(code)
})
