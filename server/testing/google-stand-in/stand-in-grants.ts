import { createHash, randomBytes } from 'node:crypto'
import type { StandInGrant } from '../google/api-stand-in.ts'

/** The parameters of the consent page. */
export interface ConsentQuery {
  readonly redirectUri: string
  readonly state: string
  readonly challenge: string
  readonly nonce: string
  readonly isOffline: boolean
}

interface Code extends ConsentQuery {
  readonly grant: Grant
}

interface Grant extends StandInGrant {
  isRevoked: boolean
  refreshToken: string
}

/** An OAuth error response. Its message is the error code. */
export class TokenError extends Error {
  readonly status: number

  constructor(code: string, status = 400) {
    super(code)
    this.status = status
  }
}

export interface IssuedTokens {
  readonly grant: StandInGrant
  readonly accessToken: string
  readonly refreshToken: string | undefined
  readonly nonce: string
}

/**
 * The codes and tokens of the stand-in. As at Google, codes are valid once, and revoking ends all grants of an account.
 */
export class StandInGrants {
  readonly #codes = new Map<string, Code>()
  readonly #access = new Map<string, { readonly grant: Grant; readonly until: number }>()
  readonly #refresh = new Map<string, Grant>()

  /** The lifetime of access tokens. */
  lifetimeSeconds = 3_599
  /** Whether a refresh replaces the refresh token. */
  rotatesRefreshTokens = false

  issueCode(account: string, scopes: readonly string[], query: ConsentQuery): string {
    const code = `4/${randomBytes(16).toString('base64url')}`
    const grant = { account, scopes: new Set(scopes), isRevoked: false, refreshToken: '' }
    this.#codes.set(code, { ...query, grant })
    return code
  }

  /** @throws TokenError */
  redeem(
    form: URLSearchParams,
    { issuesRefreshToken }: { readonly issuesRefreshToken: boolean },
  ): IssuedTokens {
    const code = form.get('code') ?? ''
    const known = this.#codes.get(code)
    if (known === undefined) throw new TokenError('invalid_grant')
    this.#codes.delete(code)
    if (known.redirectUri !== form.get('redirect_uri')) throw new TokenError('redirect_uri_mismatch')
    const verifier = form.get('code_verifier') ?? ''
    if (createHash('sha256').update(verifier).digest('base64url') !== known.challenge)
      throw new TokenError('invalid_grant')
    const withRefreshToken = issuesRefreshToken && known.isOffline
    if (withRefreshToken) this.#addRefreshToken(known.grant)
    return this.#issue(known.grant, withRefreshToken, known.nonce)
  }

  /** @throws TokenError */
  refresh(form: URLSearchParams): IssuedTokens {
    const token = form.get('refresh_token') ?? ''
    const grant = this.#refresh.get(token)
    if (grant === undefined || grant.isRevoked) throw new TokenError('invalid_grant')
    if (!this.rotatesRefreshTokens) return this.#issue(grant, false)
    this.#refresh.delete(token)
    this.#addRefreshToken(grant)
    return this.#issue(grant, true)
  }

  /** Ends all grants of the account of this token. Returns false for an unknown token. */
  revoke(token: string): boolean {
    const grant = this.#access.get(token)?.grant ?? this.#refresh.get(token)
    if (grant === undefined || grant.isRevoked) return false
    for (const other of this.#refresh.values()) if (other.account === grant.account) other.isRevoked = true
    grant.isRevoked = true
    return true
  }

  /** Ends all grants, as users can do in their Google account. */
  endAll(): void {
    for (const grant of this.#refresh.values()) grant.isRevoked = true
    for (const { grant } of this.#access.values()) grant.isRevoked = true
  }

  /** Expires all access tokens, but no refresh tokens. */
  expireAccess(): void {
    this.#access.clear()
  }

  find(accessToken: string): StandInGrant | undefined {
    const known = this.#access.get(accessToken)
    return known === undefined || known.grant.isRevoked || known.until < Date.now() ? undefined : known.grant
  }

  #addRefreshToken(grant: Grant): void {
    grant.refreshToken = `1//${randomBytes(16).toString('base64url')}`
    this.#refresh.set(grant.refreshToken, grant)
  }

  #issue(grant: Grant, withRefreshToken: boolean, nonce = ''): IssuedTokens {
    const accessToken = `ya29.${randomBytes(16).toString('base64url')}`
    this.#access.set(accessToken, { grant, until: Date.now() + this.lifetimeSeconds * 1_000 })
    return { grant, accessToken, refreshToken: withRefreshToken ? grant.refreshToken : undefined, nonce }
  }
}
