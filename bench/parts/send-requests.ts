import { setTimeout as wait } from 'node:timers/promises'
import type { ReadyRequest } from '../../server/testing/load/worst-requests.ts'
import { sendRequest } from '../../server/testing/send-request.ts'

/* Sends requests from a process of its own, so that only the server uses the event loop that is measured. */

export interface ToSend {
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
  readonly requests: ReadyRequest[]
}

export interface Sent {
  /** Of the last response. */
  readonly status: number
  readonly bytes: number
  /** Until all responses have ended. */
  readonly ms: number
  /** Milliseconds of the small requests that were sent meanwhile, one after the other. */
  readonly otherMs: number[]
}

process.on('message', (message: ToSend) => void sendAll(message))
process.send?.('ready')

async function sendAll({ base, headers, requests }: ToSend): Promise<void> {
  const start = performance.now()
  let isOver = false
  const others = requests.length > 1 ? readOthers(base, headers, () => isOver) : Promise.resolve([])
  const responses = await Promise.all(
    requests.map(async ({ method, url, body }) => {
      const response = await sendRequest({
        method,
        url: base + url,
        headers,
        ...(body === undefined ? {} : { body }),
      })
      return { status: response.statusCode, bytes: Buffer.byteLength(response.body) }
    }),
  )
  const ms = performance.now() - start
  isOver = true
  const last = responses.at(-1) ?? { status: 0, bytes: 0 }
  const sent: Sent = { ...last, ms, otherMs: await others }
  process.send?.(sent)
}

async function readOthers(
  base: string,
  headers: Readonly<Record<string, string>>,
  isOver: () => boolean,
): Promise<number[]> {
  const times: number[] = []
  while (!isOver()) {
    const start = performance.now()
    await sendRequest({ method: 'GET', url: `${base}/api/integrations`, headers })
    times.push(performance.now() - start)
    await wait(5)
  }
  return times
}
