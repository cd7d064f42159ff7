import { endMarker } from '@yonder/contract/lib/event-stream'
import { createParser } from 'eventsource-parser'
import type { ApiClient } from '../api/api-client.ts'
import { UnreachableError } from '../api/api-error.ts'

/** A connection is aborted when nothing arrives for this long; the server sends a heartbeat every 15 s. */
const maxSilenceMs = 40_000

export interface ConnectedStream {
  readonly response: Response
  /** Restarts the timeout for silence; must be called for each event, heartbeats included. */
  readonly restartTimeout: () => void
  /** Must be called when the response is no longer read; it does not close the response. */
  readonly stopTimeout: () => void
}

/**
 * Requests a stream, and aborts it when the server is silent for too long, because a lost network may go unnoticed.
 * Returns undefined when the user is signed out.
 */
export async function connectStream(
  api: ApiClient,
  path: string,
  signal: AbortSignal,
): Promise<ConnectedStream | undefined> {
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const stopTimeout = () => clearTimeout(timer)
  const restartTimeout = () => {
    stopTimeout()
    timer = setTimeout(() => {
      api.connection.check()
      silence.abort(new UnreachableError(new Error('The server sent nothing for 40 seconds.')))
    }, maxSilenceMs)
  }
  restartTimeout()
  try {
    const response = await api.request(path, { signal: AbortSignal.any([signal, silence.signal]) })
    if (response !== undefined) return { response, restartTimeout, stopTimeout }
  } catch (error) {
    stopTimeout()
    throw error
  }
  stopTimeout()
  return undefined
}

/**
 * Reads an event stream and yields the data of each event until the end marker or the end of the body. Chunks may
 * end anywhere, even within a character. An incomplete line at the end of the body is ignored. Leaving the loop
 * cancels the body.
 */
export async function* readSse(response: Response): AsyncGenerator<string, void, undefined> {
  if (response.body === null) throw new Error('Response body is not readable')
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  const events: string[] = []
  const parser = createParser({ onEvent: ({ data }) => events.push(data) })
  let endsWithLine = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const text = decoder.decode(value, { stream: !done })
      if (text !== '') endsWithLine = /[\r\n]$/.test(text)
      parser.feed(text)
      // A last event with complete lines counts, even without the blank line after it.
      if (done && endsWithLine) parser.feed('\n\n')
      for (const event of events.splice(0)) {
        if (event.trim() === endMarker) return
        yield event
      }
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
