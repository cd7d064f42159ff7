import { request } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { applyEvent, emptyRun } from '@yonder/contract/apply-event'
import type { RunState } from '@yonder/contract/apply-event'
import { CompletionEvent } from '@yonder/contract/completion'
import type { RunEvent } from '@yonder/contract/completion'

export interface TestStream {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Everything received so far, unparsed. */
  readonly raw: string
  /** The events received so far, checked against the contract; without heartbeats. */
  readonly events: readonly RunEvent[]
  /** The run that the events fold to. */
  readonly run: RunState
  /** The text of the reply so far. */
  readonly text: string
  /** Resolves as soon as `ready` holds; rejects when the stream ends before. */
  until(ready: (stream: TestStream) => boolean): Promise<void>
  /** Resolves when the response has ended or broken off. */
  readonly ended: Promise<void>
  /** Closes the connection, as a closed tab does. */
  leave(): void
}

export interface StreamRequest {
  readonly method?: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
  /** False for a stream that is not of one run: only `raw` is filled then. */
  readonly parse?: boolean
}

/** Sends a request over real HTTP and reads the response as it arrives. */
export function openStream({
  method = 'GET',
  url,
  headers,
  body,
  parse = true,
}: StreamRequest): Promise<TestStream> {
  return new Promise((resolve, reject) => {
    const payload = body === undefined ? undefined : JSON.stringify(body)
    const sent = request(
      url,
      {
        method,
        agent: false,
        headers: { ...headers, ...(payload === undefined ? {} : { 'content-type': 'application/json' }) },
      },
      (answer) => resolve(readStream(answer, parse, () => sent.destroy())),
    )
    sent.on('error', reject)
    sent.end(payload)
  })
}

function readStream(answer: IncomingMessage, parse: boolean, leave: () => void): TestStream {
  const waiting = new Set<() => void>()
  let raw = ''
  let rest = ''
  let over = false
  const events: RunEvent[] = []
  let run = emptyRun
  const check = (): void => {
    for (const waiter of waiting) waiter()
  }

  answer.setEncoding('utf8')
  answer.on('data', (piece: string) => {
    raw += piece
    if (!parse) return check()
    const blocks = (rest + piece).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data === undefined || data === '[DONE]' || !data.startsWith('{"type"')) continue
      const event = CompletionEvent.parse(JSON.parse(data))
      if (event.type === 'heartbeat') continue
      events.push(event)
      run = applyEvent(run, event)
    }
    check()
  })
  const ended = new Promise<void>((resolve) => {
    const finish = (): void => {
      over = true
      check()
      resolve()
    }
    answer.on('end', finish)
    answer.on('error', finish)
    answer.on('close', finish)
  })

  const stream: TestStream = {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    get raw() {
      return raw
    },
    events,
    get run() {
      return run
    },
    get text() {
      return events.map((event) => (event.type === 'text' ? event.choices[0].delta.content : '')).join('')
    },
    until: (ready) =>
      new Promise((resolve, reject) => {
        const waiter = (): void => {
          if (ready(stream)) resolve()
          else if (over) reject(new Error(`the stream ended before: ${raw}`))
          else return
          waiting.delete(waiter)
        }
        waiting.add(waiter)
        waiter()
      }),
    ended,
    leave,
  }
  return stream
}
