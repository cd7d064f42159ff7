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
}

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** With `same-origin` the browser sends cookies and stores those of the response; by default it does neither. */
  readonly credentials?: 'omit' | 'same-origin'
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

  const sendWithCheck = withConnectionCheck(send, connection)

  /** Returns the response as it is, whatever its status other than 401, for streams and downloads. */
  const request = async (
    path: string,
    { method = 'GET', body, headers, signal, credentials = 'omit' }: ApiRequest = {},
  ): Promise<Response | undefined> => {
    const token = await requireToken(options.getAccessToken)
    const response = await sendWithCheck(path, {
      method,
      credentials,
      headers: { 'Content-Type': 'application/json', ...headers, Authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
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
    if (response === undefined) return undefined
    if (!response.ok)
      throw new ApiError(describeError(response.status), response.status, await readErrorBody(response))
    return readBody(response)
  }

  /** Throws an `ApiError` 'API error: {status}' with the server's reason after a failure status other than 401. */
  const callWith =
    (method: NonNullable<ApiRequest['method']>) =>
    async <Answer>(path: string, body?: unknown, options?: Pick<ApiRequest, 'credentials' | 'signal'>) =>
      call<Answer>(path, { method, body, ...options }, (status) => `API error: ${status}`)

  return {
    request,
    /** Throws an `ApiError` 'An error occurred while fetching the data.' in the same case. */
    read: async <Answer>(path: string) => call<Answer>(path, {}, () => readFailureMessage),
    /** Throws like `read`. */
    readFile: async (path: string) => call(path, {}, () => readFailureMessage, readBlob),
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

/**
 * Returns a `fetch` that throws an `UnreachableError` when it reaches no server. In this case, and when the response
 * may be from a proxy, it starts a check of the connection.
 */
function withConnectionCheck(send: typeof fetch, connection: Connection) {
  return async (path: string, init: RequestInit): Promise<Response> => {
    try {
      const response = await send(path, init)
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
  const response = await fetch(path, {
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json' },
  })
  if (!response.ok) throw new ApiError(readFailureMessage, response.status, await readErrorBody(response))
  return (await response.json()) as Answer
}
