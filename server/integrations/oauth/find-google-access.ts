import type { GoogleIntegration } from '@yonder/contract/integration-names'
import type { FindGoogleAccess, GoogleAccess } from './google-access.ts'
import { findGoogleTokens } from './find-google-tokens.ts'
import type { FoundTokens } from './find-google-tokens.ts'
import type { IntegrationDeps } from '../integration-deps.ts'
import { isNotConnected } from '../not-connected.ts'
import { renewGoogleTokens } from './refresh-google-tokens.ts'

/** Milliseconds before its end at which a token is renewed. */
const renewBefore = 5 * 60_000
/** Milliseconds that a token must still live to be given away. */
const leastLife = 60_000

/** Makes the one way to a person's tokens at Google. */
export function createFindGoogleAccess(deps: IntegrationDeps): FindGoogleAccess {
  return async (userId, name: GoogleIntegration, { signal, refused } = {}) => {
    signal?.throwIfAborted()
    const found = await findGoogleTokens(deps, userId, name)
    const left = found.tokens.expiresAt - deps.now()
    const isRefused = found.tokens.accessToken === refused
    if (left > renewBefore && !isRefused) return toAccess(found)
    try {
      return toAccess(await renewGoogleTokens(deps, name, found))
    } catch (error) {
      // It is renewed early, so that Google may fail meanwhile.
      if (left > leastLife && !isRefused && !isNotConnected(error)) return toAccess(found)
      throw error
    }
  }
}

function toAccess({ row, tokens }: FoundTokens): GoogleAccess {
  return { token: tokens.accessToken, scopes: new Set(row.scopes?.split(' ')) }
}
