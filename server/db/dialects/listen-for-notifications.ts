import pg from 'pg'
import type { SignalListeners, Signals } from '../database.ts'
import { changeChannels, runChannel } from './dialect.ts'

/** Milliseconds before a broken connection is made again. */
const reconnectDelay = 1_000

/** Listens on a connection of its own, which is made again when it breaks. */
export function listenForNews(url: string, { onRuns, onChange, onGap }: SignalListeners): Signals {
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let broken = false
  let closed = false

  function connect(): void {
    const next = new pg.Client({ connectionString: url, keepAlive: true })
    client = next
    const retry = (): void => {
      if (client !== next || closed) return
      client = undefined
      broken = true
      // Errors while a broken connection is put away say nothing new.
      next.end().catch(() => undefined)
      timer = setTimeout(connect, reconnectDelay)
    }
    next.on('error', retry)
    next.on('end', retry)
    next.on('notification', ({ channel, payload = '' }) => {
      if (channel === runChannel) return onRuns(payload.split(',').map(Number))
      const [nodeId = '', userId = '', subject = ''] = payload.split(',')
      const topic = channel === changeChannels.chat ? 'chat' : 'settings'
      onChange({ topic, nodeId, userId, subject })
    })
    listen(next).catch(retry)
  }

  async function listen(next: pg.Client): Promise<void> {
    await next.connect()
    await next.query(`listen ${runChannel}; listen ${changeChannels.chat}; listen ${changeChannels.settings}`)
    if (broken) onGap()
    broken = false
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
