import type { ServerResponse } from 'node:http'

/** Returns a signal that aborts when the client closes the connection before the response is complete. */
export function closeSignal(response: ServerResponse): AbortSignal {
  const closed = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) closed.abort()
  })
  return closed.signal
}
