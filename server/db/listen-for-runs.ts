import pg from 'pg'
import type { Signals } from './database.ts'
import { runChannel } from './dialect.ts'

/** Milliseconds before a broken connection is made again. */
const reconnectDelay = 1_000

/** Listens on a connection of its own, which is made again when it breaks. */
export function listenForRuns(url: string, onWake: (runIds: readonly string[]) => void): Signals {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  function connect(): void {
    const next = new pg.Client({ connectionString: url, keepAlive: true })
    client = next
    const retry = (): void => {
      if (client !== next || closed) return
      client = undefined
      // Errors while a broken connection is put away say nothing new.
      next.end().catch(() => undefined)
      timer = setTimeout(connect, reconnectDelay)
    }
    next.on('error', retry)
    next.on('end', retry)
    next.on('notification', ({ payload = '' }) => onWake(payload.split(',')))
    next
      .connect()
      .then(() => next.query(`listen ${runChannel}`))
      .catch(retry)
  }

  connect()
  return {
    async close() {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => undefined)
    },
  }
}
