import type { FastifyInstance } from 'fastify'
import type { Config } from './config/config.ts'
import { AppError } from './lib/app-error.ts'
import { errorCode } from './lib/describe-error.ts'

/**
 * Listens on the configured port and network address.
 * @throws AppError when the port or the address cannot be used
 */
export async function listen(
  app: Pick<FastifyInstance, 'listen'>,
  { port, host, tls }: Pick<Config, 'port' | 'host' | 'tls'>,
): Promise<void> {
  // Fastify does not know which protocol the server speaks.
  const protocol = tls === null ? 'http:' : 'https:'
  const listenTextResolver = (address: string) => `Server listening at ${address.replace('http:', protocol)}`
  try {
    await app.listen({ port, host, listenTextResolver })
  } catch (error) {
    const message = explain(errorCode(error), port, host)
    throw message === undefined ? error : new AppError('unavailable', message, { cause: error })
  }
}

function explain(code: string, port: number, host: string): string | undefined {
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${host} is in use by another program, which may be another Yonder. Stop it, or choose another port with --port or PORT.`
  if (code === 'EACCES')
    return `This user may not listen on port ${port}. Choose ${port > 1023 ? 'another port' : 'a port above 1023'} with --port or PORT.`
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'].includes(code))
    return `This machine has no network address ${host} to listen on. Choose another with --host or HOST.`
  return undefined
}
