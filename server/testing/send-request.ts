import { request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'

export interface SentAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Whole, but for a stream that goes on: of that, what came first. */
  readonly text: string
}

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as it is, said to be JSON unless `headers` say otherwise. */
  readonly body?: string | Uint8Array
}

/** Asks over a connection of its own, with any bytes as the body, and leaves a stream after its first piece. */
export function sendRequest({ method, url, headers = {}, body }: SentRequest): Promise<SentAnswer> {
  return new Promise((resolve, reject) => {
    const said = body === undefined ? {} : { 'content-type': 'application/json', ...lengthOf(body) }
    const sent = request(url, { method, agent: false, headers: { ...said, ...headers } }, (answer) => {
      const chunks: Buffer[] = []
      const finish = (): void => {
        const text = Buffer.concat(chunks).toString('utf8')
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text })
        sent.destroy()
      }
      const isStream = answer.headers['content-type']?.startsWith('text/event-stream') === true
      answer.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (isStream) finish()
      })
      answer.on('end', finish)
      answer.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function lengthOf(body: string | Uint8Array): Readonly<Record<string, string>> {
  return { 'content-length': String(Buffer.byteLength(body)) }
}
