import type { ApiClient, ApiRequest } from './api-client.ts'

/** Milliseconds of silence after which a connection counts as dead; the server sends a heartbeat every 15 s. */
const silenceLimit = 40_000

export interface ConnectedStream {
  readonly response: Response
  /** Called for everything that comes. */
  readonly heard: () => void
  readonly close: () => void
}

/** Asks for a stream and gives it up when the other side falls silent, since a lost network does not always say so. */
export async function connectStream(
  api: ApiClient,
  path: string,
  request: ApiRequest,
  signal: AbortSignal,
): Promise<ConnectedStream | undefined> {
  const silence = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const close = () => clearTimeout(timer)
  const heard = () => {
    close()
    timer = setTimeout(() => silence.abort(new Error('The server does not answer.')), silenceLimit)
  }
  heard()
  try {
    const response = await api.request(path, {
      ...request,
      signal: AbortSignal.any([signal, silence.signal]),
    })
    if (response !== undefined) return { response, heard, close }
  } catch (error) {
    close()
    throw error
  }
  close()
  return undefined
}
