import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/*
 * The ports are below those that systems use for outgoing connections, because such a connection could take a port
 * between the check and the use.
 */
const minPort = 20_000
const portsPerProcess = 50
/** With 240 processes, the ports end at 32,000. */
const processes = 240

/**
 * Processes that run at once nearly always get different ports, so that hardly ever one takes a port that another has
 * checked.
 */
const firstPort = minPort + (process.pid % processes) * portsPerProcess
let count = randomInt(portsPerProcess)

/** Returns a free port, for a server whose address must be known before it starts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + (count++ % portsPerProcess)
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
