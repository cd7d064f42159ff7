import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedWebhook {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** How the receiver responds. `hold` never responds. */
export type WebhookResponse =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | 'hold'

/** Starts a server that receives webhooks. */
export async function startWebhook() {
  const received: ReceivedWebhook[] = []
  const responses: WebhookResponse[] = []
  const waiting = new Set<() => void>()
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const answer = responses.shift() ?? { status: 204 }
      received.push({ headers: request.headers, body: Buffer.concat(parts).toString('utf8') })
      for (const check of waiting) check()
      if (answer !== 'hold') response.writeHead(answer.status, answer.headers).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    /** Its `host:port`, for `ALLOWED_PRIVATE_HOSTS`. */
    host,
    url: `http://${host}/hook`,
    received: received as readonly ReceivedWebhook[],
    /** Adds the responses to the next requests. Later ones are accepted. */
    respond: (...next: readonly WebhookResponse[]) => void responses.push(...next),
    /** Resolves when this many have arrived. */
    until: (count: number) =>
      new Promise<readonly ReceivedWebhook[]>((resolve) => {
        const check = (): void => {
          if (received.length < count) return
          waiting.delete(check)
          resolve(received)
        }
        waiting.add(check)
        check()
      }),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
