import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/*
 * Below the ports that systems use for outgoing connections, any of which another connection could take between the
 * check and the use.
 */
const minPort = 20_000
const portsPerProcess = 50
/** With 240 processes, the ports end at 32,000. */
const processes = 240

/** Processes that run at the same time have different ports, so that none takes the port of another after its check. */
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
