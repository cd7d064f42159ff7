import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { registerClosing } from './closing.ts'
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
