import { auth } from '@modelcontextprotocol/client'
import { AppError } from '../../lib/app-error.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { limitResponses, ResponseBudget, fetchByOrigin } from '../mcp/server-fetch.ts'
import type { ConnectorOAuth } from './connector-oauth.ts'

const requestTimeoutMs = 15_000

export interface AuthStep {
  readonly scope?: string | undefined
  readonly resourceMetadataUrl?: URL | undefined
  /** Requests consent even when there are tokens, because their scope is insufficient. */
  readonly forceReauthorization?: boolean
  readonly authorizationCode?: string
  /** The `iss` parameter with which the server redirected the user back. */
  readonly iss?: string | undefined
}

/**
 * Runs a step of the SDK's OAuth flow with our storage. Returns `AUTHORIZED` when there are tokens, and `REDIRECT` when
 * the user has to consent. All requests are guarded, and all responses have a size limit.
 * @throws AppError when the guard or the limit refused a request, else the error of the SDK
 */
export async function runAuth(
  { guards, settings: { limits } }: Pick<ConnectorDeps, 'guards' | 'settings'>,
  oauth: ConnectorOAuth,
  url: URL,
  step: AuthStep = {},
): Promise<'AUTHORIZED' | 'REDIRECT'> {
  const fetch = fetchByOrigin(url, guards)
  let refusal: AppError | undefined
  try {
    return await auth(oauth, {
      ...withoutAbsent(step),
      serverUrl: url,
      fetchFn: async (input, init) => {
        const budget = new ResponseBudget()
        budget.startRequest(limits.maxOAuthBytes)
        try {
          return await limitResponses(
            fetch,
            budget,
            limits,
          )(input, { ...init, signal: AbortSignal.timeout(requestTimeoutMs) })
        } catch (error) {
          if (error instanceof AppError) refusal ??= error
          throw error
        }
      },
    })
  } catch (error) {
    throw refusal ?? error
  }
}

/** Removes undefined and empty properties, since the SDK distinguishes an absent property from an undefined one. */
function withoutAbsent<Step extends object>(
  step: Step,
): { [Key in keyof Step]: Exclude<Step[Key], undefined> } {
  return Object.fromEntries(
    Object.entries(step).filter(([, value]) => value !== undefined && value !== ''),
  ) as { [Key in keyof Step]: Exclude<Step[Key], undefined> }
}
