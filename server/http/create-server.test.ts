import Fastify from 'fastify'
import { expect, it, afterEach, vi } from 'vitest'
import { registerClosing, logDisconnect, onDisconnect, RequestLog } from './create-server.ts'
import { createErrorHandler } from './error-handler.ts'

it('refuses new requests while the server shuts down (§22.9)', async () => {
  const app = Fastify({ return503OnClosing: false })
  app.setErrorHandler(createErrorHandler(() => false))
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => (end = resolve))
  registerClosing(app)
  app.addHook('preClose', () => ended)
  app.get('/', () => 'here')
  const address = await app.listen({ port: 0 })
  expect(await (await fetch(address)).text()).toBe('here')

  const closed = app.close()
  const answer = await fetch(address)
  expect(answer.status).toBe(503)
  expect(answer.headers.get('connection')).toBe('close')
  expect(await answer.json()).toEqual({
    error: { code: 'unavailable', message: 'The server is going down. Try again in a moment.' },
  })
  end()
  await closed
  await expect(fetch(address)).rejects.toThrow()
})

let close: () => Promise<void> = () => Promise.resolve()
afterEach(() => close())

it('has one line for each request, whether it was answered or its client disconnected (§22.7)', async () => {
  const lines: Record<string, unknown>[] = []
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>)
  const app = Fastify({
    logger: { level: 'info', stream: { write } },
    logController: new RequestLog(),
    forceCloseConnections: true,
  })
  const counted = vi.fn()
  onDisconnect(app, logDisconnect)
  onDisconnect(app, counted)
  app.get('/answered', () => 'here')
  app.get('/stream', (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200).write('first')
  })
  app.get('/waiting', () => new Promise(() => undefined))
  const address = await app.listen({ port: 0 })
  close = () => app.close()
  const requests = () => lines.filter(({ msg }) => msg === 'request')

  await (await fetch(`${address}/answered?word=secret`)).text()
  await expect.poll(() => requests().length).toBe(1)
  const leaving = new AbortController()
  const stream = await fetch(`${address}/stream?word=secret`, { signal: leaving.signal })
  expect(stream.status).toBe(200)
  expect(requests()).toHaveLength(1)
  leaving.abort()
  await expect.poll(() => requests().length).toBe(2)
  const impatient = fetch(`${address}/waiting`, { signal: AbortSignal.timeout(50) })
  await expect(impatient).rejects.toThrow()
  await expect.poll(() => requests().length).toBe(3)
  expect(requests()).toEqual([
    expect.objectContaining({ method: 'GET', path: '/answered', status: 200 }),
    expect.objectContaining({ method: 'GET', path: '/stream', status: 200, left: true }),
    expect.objectContaining({ method: 'GET', path: '/waiting', status: null, left: true }),
  ])
  expect(requests()[0]).not.toHaveProperty('left')
  expect(counted).toHaveBeenCalledTimes(2)
})
