import { auth } from '@modelcontextprotocol/client'
import { AppError } from '../../lib/app-error.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { limitResponses, ResponseBudget } from '../mcp/limit-responses.ts'
import { fetchByOrigin } from '../mcp/fetch-by-origin.ts'
import type { ConnectorOAuth } from './connector-oauth.ts'

const requestTimeoutMs = 15_000

export interface AuthStep {
  readonly scope?: string | undefined
  readonly resourceMetadataUrl?: URL | undefined
  /** Asks for consent although there are tokens, because their scope is too small. */
  readonly forceReauthorization?: boolean
  readonly authorizationCode?: string
  /** The issuer that the server named when it sent the user back. */
  readonly iss?: string | undefined
}

/**
 * Runs a step of the SDK's OAuth flow with our storage. It ends with tokens, or with a user to send to consent. Every
 * address that a server names is guarded and every document has a size limit; a refusal of the guard is thrown as the
 * reason.
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
        budget.allow(limits.maxOAuthBytes)
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

/** The SDK distinguishes an absent property from an undefined one. */
function withoutAbsent<Step extends object>(
  step: Step,
): { [Key in keyof Step]: Exclude<Step[Key], undefined> } {
  return Object.fromEntries(
    Object.entries(step).filter(([, value]) => value !== undefined && value !== ''),
  ) as { [Key in keyof Step]: Exclude<Step[Key], undefined> }
}
