import { readErrorBody } from './error-body.ts'

/** The provider could not be asked. A TypeError, as `fetch` throws, so that the OpenID library passes it on. */
export class ProviderUnreachableError extends TypeError {
  override readonly name = 'ProviderUnreachableError'
  readonly url: string

  constructor(url: string, cause: unknown) {
    super(`No response from ${url}`, { cause })
    this.url = url
  }
}

/** A `fetch` whose failure names the address: the browser says no more than "Failed to fetch". */
export async function fetchFromProvider(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options)
  } catch (error) {
    // A timeout is no TypeError, and keeps its name.
    throw error instanceof TypeError ? new ProviderUnreachableError(url, error) : error
  }
}

/** Tells the server why a sign-in failed, because its operator cannot see the log of a browser. */
export async function reportSignInFailure(problem: object): Promise<void> {
  await post('/api/sign-in-failures', problem).catch(() => undefined)
}

/** The sign-in does not wait longer for the server. */
const maxIdTokenMs = 5_000

/**
 * Sends the ID token, from which the server reads a name and an e-mail that the access token lacks.
 * @throws when the server refuses the access token, as it would with every other request
 */
export async function sendIdToken(accessToken: string, idToken: string): Promise<void> {
  const response = await post(
    '/api/auth/id-token',
    { id_token: idToken },
    { headers: { Authorization: `Bearer ${accessToken}` }, signal: AbortSignal.timeout(maxIdTokenMs) },
  ).catch(() => undefined)
  if (response?.status === 401)
    throw new Error((await readErrorBody(response))?.message ?? 'This server refuses the access token.')
}

function post(
  path: string,
  body: object,
  { headers, ...options }: { readonly headers?: Record<string, string>; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    credentials: 'omit',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...options,
  })
}
