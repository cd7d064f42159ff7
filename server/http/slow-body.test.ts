import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { refuseBrokenRequest } from './error-handler.ts'
import { limitBodyTime } from './slow-body.ts'

const app = Fastify({ clientErrorHandler: refuseBrokenRequest, forceCloseConnections: true })
let port = 0
beforeAll(async () => {
  limitBodyTime(app, 50)
  app.post('/plain', () => 'received')
  app.post('/slow', { config: { slowBody: true } }, () => 'received')
  port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
})
afterAll(() => app.close())

/** Sends a request of which only this part of the body arrives, and returns the response. */
async function send(path: string, body: string, length = body.length): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`,
  )
  return text(socket)
}

it.each(['/plain', '/slow'])('ends a request whose body stops arriving: %s', async (path) => {
  const response = await send(path, '{"a":', 9)
  expect(response).toMatch(/^HTTP\/1\.1 408 /)
  expect(response).toContain('This request took too long to arrive. Send it again.')
})

it.each(['/plain', '/slow'])('receives a whole body: %s', async (path) => {
  expect(await send(path, '{"a":1}')).toMatch(/^HTTP\/1\.1 200 [\s\S]*received$/)
})

it.each([
  ['/plain', 200],
  // Its body is not read.
  ['/unknown', 404],
])('has no timer left after the response: %s', async (url, status) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const begun = vi.spyOn(globalThis, 'setInterval')
  const response = await app.inject({ method: 'POST', url, payload: { a: 1 } })
  expect([response.statusCode, begun.mock.calls.length]).toEqual([status, 1])
  expect(vi.getTimerCount()).toBe(0)
  begun.mockRestore()
  vi.useRealTimers()
})
