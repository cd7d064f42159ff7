import fastify from 'fastify'
import { expect, it } from 'vitest'
import { AppError } from './lib/app-error.ts'
import { listen } from './listen.ts'

it('an address that the machine does not have ends the start with a sentence', async () => {
  const app = fastify()
  await expect(listen(app, { port: 0, host: '203.0.113.1', tls: null })).rejects.toThrow(
    new AppError(
      'unavailable',
      'This machine has no network address 203.0.113.1 to listen on. Choose another with --host or HOST.',
    ),
  )
  await app.close()
})

it.each([
  [80, 'a port above 1023'],
  // Windows reserves ranges of such ports.
  [3000, 'another port'],
])('port %i, which the user may not use, ends the start with a sentence', async (port, choice) => {
  const refused = Object.assign(new Error('listen EACCES'), { code: 'EACCES' })
  await expect(
    listen({ listen: () => Promise.reject(refused) }, { port, host: '127.0.0.1', tls: null }),
  ).rejects.toThrow(
    new AppError(
      'unavailable',
      `This user may not listen on port ${port}. Choose ${choice} with --port or PORT.`,
    ),
  )
})

it('an unexpected error of listening is thrown as it is', async () => {
  const unexpected = Object.assign(new Error('listen EMFILE'), { code: 'EMFILE' })
  const app = { listen: () => Promise.reject(unexpected) }
  await expect(listen(app, { port: 3000, host: '127.0.0.1', tls: null })).rejects.toBe(unexpected)
})
