import { ApiError } from './api-error.ts'
import { readErrorBody } from './read-error-body.ts'

export interface ApiClientOptions {
  /** Answers the access token of the signed-in person, or nothing when there is none to be had. */
  readonly getAccessToken: () => Promise<string | null | undefined>
  /** Called after a 401: logs out and leaves for the root. */
  readonly onUnauthorized: () => void
  readonly fetch?: typeof fetch
}

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** `same-origin` for the few answers that leave a cookie in this browser; no cookie travels otherwise. */
  readonly credentials?: 'omit' | 'same-origin'
}

/**
 * The calls to the server. All carry the bearer token. After a 401 the person is logged out and the call answers nothing:
 * `undefined`. A success without a body answers `null`.
 */
export interface ApiClient {
  /** Throws an `ApiError` 'An error occurred while fetching the data.' with the status on any other failure. */
  readonly read: <Answer>(path: string) => Promise<Answer | undefined>
  /** The write helper; each throws an `ApiError` 'API error: {status}' that carries the server's reason. */
  readonly get: <Answer>(path: string) => Promise<Answer | undefined>
  readonly post: <Answer>(
    path: string,
    body?: unknown,
    options?: Pick<ApiRequest, 'credentials'>,
  ) => Promise<Answer | undefined>
  readonly put: <Answer>(path: string, body?: unknown) => Promise<Answer | undefined>
  readonly delete: <Answer>(path: string, body?: unknown) => Promise<Answer | undefined>
  /** The bare answer, whatever its status, for streams. */
  readonly request: (path: string, request?: ApiRequest) => Promise<Response | undefined>
}

/** Makes the client; it shows nothing and navigates nowhere by itself. */
export function createApiClient(options: ApiClientOptions): ApiClient {
  const { onUnauthorized } = options
  const send = options.fetch ?? ((input: RequestInfo | URL, init?: RequestInit) => fetch(input, init))

  const request: ApiClient['request'] = async (
    path,
    { method = 'GET', body, headers, signal, credentials = 'omit' } = {},
  ) => {
    const token = await requireToken(options.getAccessToken)
    const response = await send(path, {
      method,
      credentials,
      headers: { 'Content-Type': 'application/json', ...headers, Authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
    if (response.status !== 401) return response
    onUnauthorized()
    return undefined
  }

  const call = async <Answer>(
    path: string,
    init: ApiRequest,
    explain: (status: number) => string,
  ): Promise<Answer | undefined> => {
    const response = await request(path, init)
    if (response === undefined) return undefined
    if (!response.ok)
      throw new ApiError(explain(response.status), response.status, await readErrorBody(response))
    return readAnswer<Answer>(response)
  }

  const write =
    (method: NonNullable<ApiRequest['method']>) =>
    async <Answer>(path: string, body?: unknown, options?: Pick<ApiRequest, 'credentials'>) =>
      call<Answer>(path, { method, body, ...options }, (status) => `API error: ${status}`)

  return {
    request,
    read: async (path) => call(path, {}, () => 'An error occurred while fetching the data.'),
    get: write('GET'),
    post: write('POST'),
    put: write('PUT'),
    delete: write('DELETE'),
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

async function readAnswer<Answer>(response: Response): Promise<Answer | undefined> {
  const text = await response.text()
  return (text === '' ? null : JSON.parse(text)) as Answer
}
