import { checkAccessToken } from './check-access-token.ts'
import type { AccessClaims, TokenCheck } from './check-access-token.ts'

/** Milliseconds for which a token that passed the checks is known, as a key that the provider withdrew may be. */
const memory = 60_000
const mostRemembered = 1_000

/**
 * Checks access tokens as `checkAccessToken` does, and computes the signature of the same token once a minute: it costs
 * more than anything else before the first token of a reply. From its expiry on a token is checked anew.
 */
export function rememberAccess(check: TokenCheck): (token: string) => Promise<AccessClaims> {
  const known = new Map<string, { readonly claims: AccessClaims; readonly until: number }>()

  return async function checkRemembered(token) {
    const now = check.now()
    const remembered = known.get(token)
    if (remembered !== undefined && remembered.until > now) return remembered.claims
    const claims = await checkAccessToken(token, check)
    if (known.size >= mostRemembered) known.clear()
    known.set(token, { claims, until: Math.min(now + memory, claims.exp * 1000) })
    return claims
  }
}
