import { auth } from '@modelcontextprotocol/client'
import { AppError } from '../../lib/app-error.ts'
import type { ConnectorDeps } from '../connector-deps.ts'
import { limitResponses, ResponseBudget } from '../mcp/limit-responses.ts'
import { fetchByOrigin } from '../mcp/fetch-by-origin.ts'
import type { ConnectorOAuth } from './connector-oauth.ts'

/** Milliseconds for one document of an authorization server. */
const longestRequest = 15_000

export interface AuthStep {
  readonly scope?: string | undefined
  readonly resourceMetadataUrl?: URL | undefined
  /** Consent again, although there are tokens: they do not reach far enough. */
  readonly forceReauthorization?: boolean
  readonly authorizationCode?: string
  /** Who the server says it is that sent the person back. */
  readonly iss?: string | undefined
}

/**
 * A step of the library's OAuth with our storage: tokens, or a person on their way to consent. Every address that a server
 * names on the way goes through the guard, and its documents are small; when the guard refused one, that is the reason.
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
          )(input, { ...init, signal: AbortSignal.timeout(longestRequest) })
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

/** The library tells an absent value from an undefined one. */
function withoutAbsent<Step extends object>(
  step: Step,
): { [Key in keyof Step]: Exclude<Step[Key], undefined> } {
  return Object.fromEntries(
    Object.entries(step).filter(([, value]) => value !== undefined && value !== ''),
  ) as { [Key in keyof Step]: Exclude<Step[Key], undefined> }
}
