import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/*
 * Below the ports that systems use for outgoing connections, any of which another connection could take between the
 * check and the use.
 */
const minPort = 20_000
const maxPort = 32_000

/** Returns a free port, for a server whose address must be known before it starts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(minPort, maxPort)
    const probe = createServer()
    try {
      probe.listen(port, '127.0.0.1')
      await once(probe, 'listening')
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') continue
      throw error
    }
    probe.close()
    await once(probe, 'close')
    return port
  }
}
