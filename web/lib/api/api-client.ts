import { createLiveFeed } from '../streams/live-feed.ts'
import { ApiError, isGatewayFailure, UnreachableError } from './api-error.ts'
import { ServerConnection, type Connection } from './connection.ts'
import { readErrorBody } from './error-body.ts'

const readFailureMessage = 'An error occurred while fetching the data.'

export interface ApiClientOptions {
  /** Returns the access token of the signed-in user, or nothing when there is none. */
  readonly getAccessToken: () => Promise<string | null | undefined>
  /** Called after a 401, with the server's reason: signs out and redirects to the root. */
  readonly onUnauthorized: (reason?: string) => void
  readonly fetch?: typeof fetch
  /** Sends the body of an upload; by default with an `XMLHttpRequest`, which reports its progress. */
  readonly sendFile?: SendFile
}

export interface Upload {
  /** Default: POST. */
  readonly method?: 'POST' | 'PUT'
  /** Called with the number of bytes that are sent. */
  readonly onProgress: (sent: number) => void
  readonly signal: AbortSignal
}

/** Sends a file. Fails like `fetch`: with a TypeError when it reaches no server, and with the reason of the signal. */
export type SendFile = (
  path: string,
  headers: Readonly<Record<string, string>>,
  file: Blob,
  upload: Upload,
) => Promise<Response>

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** With `same-origin` the browser sends cookies and stores those of the response; by default it does neither. */
  readonly credentials?: 'omit' | 'same-origin'
  /** Lets the request go on when the page is closed. */
  readonly keepalive?: boolean
}

/**
 * Creates the client for calls to the server with the user's bearer token. It shows nothing, and does not navigate
 * except by `onUnauthorized`. After a 401 the user is signed out and the call returns `undefined`. A success without a
 * body returns `null`. A call throws an `UnreachableError` when it reaches no server, and 'Failed to get access token'
 * when there is no token.
 */
export function createApiClient(options: ApiClientOptions) {
  const { onUnauthorized } = options
  const send = options.fetch ?? ((input: RequestInfo | URL, init?: RequestInit) => fetch(input, init))

  const connection = new ServerConnection(() => probe(send))

  const reach = withConnectionCheck(connection)

  /** Returns the response as it is, whatever its status other than 401, for streams and downloads. */
  const request = async (
    path: string,
    { method = 'GET', body, headers, credentials = 'omit', ...rest }: ApiRequest = {},
  ): Promise<Response | undefined> => {
    const token = await requireToken(options.getAccessToken)
    return unlessUnauthorized(
      await reach(() =>
        send(path, {
          ...rest,
          method,
          credentials,
          headers: { 'Content-Type': 'application/json', ...headers, Authorization: `Bearer ${token}` },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      ),
    )
  }

  const unlessUnauthorized = async (response: Response): Promise<Response | undefined> => {
    if (response.status !== 401) return response
    onUnauthorized((await readErrorBody(response))?.message)
    return undefined
  }

  const call = async <Answer>(
    path: string,
    init: ApiRequest,
    describeError: (status: number) => string,
    readBody: (response: Response) => Promise<Answer | undefined> = readJsonBody,
  ): Promise<Answer | undefined> => {
    const response = await request(path, init)
    return response && readAnswer(response, describeError, readBody)
  }

  /** Throws an `ApiError` 'API error: {status}' with the server's reason after a failure status other than 401. */
  const callWith =
    (method: NonNullable<ApiRequest['method']>) =>
    async <Answer>(path: string, body?: unknown, options?: Pick<ApiRequest, 'credentials' | 'signal'>) =>
      call<Answer>(path, { method, body, ...options }, describeStatus)

  return {
    request,
    /** Throws an `ApiError` 'An error occurred while fetching the data.' in the same case. */
    read: async <Answer>(path: string) => call<Answer>(path, {}, () => readFailureMessage),
    /** Throws like `read`. */
    readFile: async (path: string) => call(path, {}, () => readFailureMessage, readBlob),
    /** Sends a file as the body of a request. Throws like `post`, and the reason of the signal when it is aborted. */
    async upload<Answer>(path: string, file: Blob, upload: Upload): Promise<Answer | undefined> {
      const token = await requireToken(options.getAccessToken)
      const sendFile = options.sendFile ?? (await import('../files/send-file.ts')).sendFile
      const headers = { 'Content-Type': 'application/octet-stream', Authorization: `Bearer ${token}` }
      const response = await unlessUnauthorized(await reach(() => sendFile(path, headers, file, upload)))
      return response && readAnswer(response, describeStatus, readJsonBody<Answer>)
    },
    get: callWith('GET'),
    post: callWith('POST'),
    put: callWith('PUT'),
    patch: callWith('PATCH'),
    delete: callWith('DELETE'),
    connection,
    live: createLiveFeed(),
  }
}

export type ApiClient = ReturnType<typeof createApiClient>

const describeStatus = (status: number) => `API error: ${status}`

async function readAnswer<Answer>(
  response: Response,
  describeError: (status: number) => string,
  readBody: (response: Response) => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  if (!response.ok)
    throw new ApiError(describeError(response.status), response.status, await readErrorBody(response))
  return readBody(response)
}

/**
 * Returns a function that sends a request, and throws an `UnreachableError` when it reaches no server. In this case, and
 * when the response may be from a proxy, it starts a check of the connection.
 */
function withConnectionCheck(connection: Connection) {
  return async (send: () => Promise<Response>): Promise<Response> => {
    try {
      const response = await send()
      if (isGatewayFailure(response.status)) connection.check()
      return response
    } catch (error) {
      // `fetch` throws a TypeError when it reaches no server.
      if (!(error instanceof TypeError)) throw error
      connection.check()
      throw new UnreachableError(error)
    }
  }
}

/** A check of the connection fails if there is no response within this time. */
const maxProbeMs = 3000

/** Whether the server, and not only a proxy in front of it, responds. */
async function probe(send: typeof fetch): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(maxProbeMs)
    const { status } = await send('/healthz', { cache: 'no-store', credentials: 'omit', signal })
    return status < 500
  } catch {
    return false
  }
}

async function requireToken(getAccessToken: ApiClientOptions['getAccessToken']): Promise<string> {
  const failure = 'Failed to get access token'
  let token: string | null | undefined
  try {
    token = await getAccessToken()
  } catch (cause) {
    throw new Error(failure, { cause })
  }
  if (!token) throw new Error(failure)
  return token
}

async function readJsonBody<Answer>(response: Response): Promise<Answer | undefined> {
  const text = await response.text()
  return (text === '' ? null : JSON.parse(text)) as Answer
}

async function readBlob(response: Response): Promise<Blob> {
  return new Blob([await response.arrayBuffer()], { type: response.headers.get('content-type') ?? '' })
}

/**
 * Loads public data without a token and without cookies. After a failure status, 401 included, it throws the
 * same `ApiError` as `ApiClient.read`. Without a response it throws the error of `fetch`.
 */
export async function readPublicly<Answer>(path: string): Promise<Answer> {
  return (await fetchPublicly(path)).json() as Promise<Answer>
}

/** The same for a file. */
export async function readFilePublicly(path: string): Promise<Blob> {
  return readBlob(await fetchPublicly(path))
}

async function fetchPublicly(path: string): Promise<Response> {
  const response = await fetch(path, {
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json' },
  })
  if (!response.ok) throw new ApiError(readFailureMessage, response.status, await readErrorBody(response))
  return response
}
