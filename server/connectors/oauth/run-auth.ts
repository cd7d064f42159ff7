import { auth } from '@modelcontextprotocol/client'
import { withTimeout } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import { isObject, parseJson } from '../../lib/json-object.ts'
import { readErrorCode } from '../../lib/quote-server.ts'
import { readCapped } from '../../lib/read-capped.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { fetchByOrigin } from '../mcp/fetch-by-origin.ts'
import type { ConnectorOAuth } from './connector-oauth.ts'

const requestTimeoutMs = 15_000

export interface AuthStep {
  readonly scope?: string | undefined
  readonly resourceMetadataUrl?: URL | undefined
  /** Requests consent even when there are tokens, instead of refreshing them. */
  readonly forceReauthorization?: boolean
  readonly authorizationCode?: string
  /** The `iss` parameter with which the server redirected the user back. */
  readonly iss?: string | undefined
}

/**
 * Runs a step of the SDK's OAuth flow with our storage. Returns `AUTHORIZED` when there are tokens, and `REDIRECT` when
 * the user has to consent. All requests are guarded, all responses have a size limit, and the whole step has a time
 * limit, because a server can make it consist of many requests.
 * @throws AppError when the guard or the size limit refused a request, else what the SDK or our storage threw
 */
export async function runAuth(
  { guards, closing, settings: { limits } }: Pick<ConnectorDeps, 'guards' | 'closing' | 'settings'>,
  oauth: ConnectorOAuth,
  url: URL,
  step: AuthStep,
): Promise<'AUTHORIZED' | 'REDIRECT'> {
  const guardedFetch = fetchByOrigin(url, guards)
  let refusal: AppError | undefined
  try {
    return await withTimeout(closing, limits.maxAuthorizationMs, (stepSignal) =>
      auth(oauth, {
        ...withoutAbsent(step),
        serverUrl: url,
        fetchFn: async (input, init) => {
          try {
            // The body is read here, so that the time limits apply to it too.
            return await withTimeout(stepSignal, requestTimeoutMs, async (signal) => {
              const response = await guardedFetch(input, { ...init, signal })
              return withoutErrorText(response, await readCapped(response, limits.maxOAuthBytes))
            })
          } catch (error) {
            if (error instanceof AppError) refusal ??= error
            throw error
          }
        },
      }),
    )
  } catch (error) {
    throw refusal ?? error
  }
}

/**
 * Removes everything but the code from a response with an error. The SDK writes the text of errors into the log, and
 * the text can repeat secrets that were sent to the server.
 */
function withoutErrorText(response: Response, text: string): Response {
  const { status, headers } = response
  const code = findErrorCode(text)
  const body = response.ok && code === undefined ? text : JSON.stringify({ error: code ?? 'server_error' })
  const hasNoBody = status === 204 || status === 205 || status === 304
  return new Response(hasNoBody ? null : body, { status, headers })
}

/** Returns the code of an OAuth error (RFC 6749, section 5.2), or undefined when the text is no error. */
function findErrorCode(text: string): string | undefined {
  const value = parseJson(text)
  return isObject(value) && 'error' in value ? (readErrorCode(value['error']) ?? 'server_error') : undefined
}

/** Removes undefined and empty properties, since the SDK distinguishes an absent property from an undefined one. */
function withoutAbsent<Step extends object>(
  step: Step,
): { [Key in keyof Step]: Exclude<Step[Key], undefined> } {
  return Object.fromEntries(
    Object.entries(step).filter(([, value]) => value !== undefined && value !== ''),
  ) as { [Key in keyof Step]: Exclude<Step[Key], undefined> }
}
