import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { applyEvent, emptyRun, type RunState } from '@yonder/contract/apply-event'
import { CompletionEvent, type RunEvent } from '@yonder/contract/completion'
import { endMarker } from '@yonder/contract/lib/event-stream'

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
  /** Resolves as soon as `ready` returns true; rejects when the stream ends first. */
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
      (response) => resolve(readStream(response, parse, () => sent.destroy())),
    )
    sent.on('error', reject)
    sent.end(payload)
  })
}

function readStream(response: IncomingMessage, parse: boolean, leave: () => void): TestStream {
  const waiting = new Set<() => void>()
  let raw = ''
  let rest = ''
  let hasEnded = false
  const events: RunEvent[] = []
  let run = emptyRun
  const check = (): void => {
    for (const waiter of waiting) waiter()
  }

  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    raw += chunk
    if (!parse) return check()
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1]
      if (data === undefined || data === endMarker || !data.startsWith('{"type"')) continue
      const event = CompletionEvent.parse(JSON.parse(data))
      if (event.type === 'heartbeat') continue
      events.push(event)
      run = applyEvent(run, event)
    }
    check()
  })
  const ended = new Promise<void>((resolve) => {
    const finish = (): void => {
      hasEnded = true
      check()
      resolve()
    }
    response.on('end', finish)
    response.on('error', finish)
    response.on('close', finish)
  })

  const stream: TestStream = {
    status: response.statusCode ?? 0,
    headers: response.headers,
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
          else if (hasEnded) reject(new Error(`The stream ended too early: ${raw}`))
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
