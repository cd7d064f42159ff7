import { createHash, randomBytes } from 'node:crypto'
import type { StandInGrant } from './google-stand-in-api.ts'

/** What a browser asked for at the page of consent. */
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
  isEnded: boolean
  refreshToken: string
}

/** Faults as the words of OAuth. */
export class TokenFault extends Error {
  readonly status: number

  constructor(word: string, status = 400) {
    super(word)
    this.status = status
  }
}

export interface GivenTokens {
  readonly grant: StandInGrant
  readonly accessToken: string
  readonly refreshToken: string | undefined
  readonly nonce: string
}

/** Codes and tokens of the stand-in: codes count once, and all that an account has allowed ends together, as at Google. */
export class StandInGrants {
  readonly #codes = new Map<string, Code>()
  readonly #access = new Map<string, { readonly grant: Grant; readonly until: number }>()
  readonly #refresh = new Map<string, Grant>()

  /** Seconds that an access token lives. */
  life = 3_599
  /** A refresh token is good once, and another one comes back. */
  rotates = false

  giveCode(account: string, scopes: readonly string[], query: ConsentQuery): string {
    const code = `4/${randomBytes(16).toString('base64url')}`
    const grant = { account, scopes: new Set(scopes), isEnded: false, refreshToken: '' }
    this.#codes.set(code, { ...query, grant })
    return code
  }

  /** @throws TokenFault */
  redeem(form: URLSearchParams, { givesRefreshToken }: { readonly givesRefreshToken: boolean }): GivenTokens {
    const code = form.get('code') ?? ''
    const known = this.#codes.get(code)
    if (known === undefined) throw new TokenFault('invalid_grant')
    this.#codes.delete(code)
    if (known.redirectUri !== form.get('redirect_uri')) throw new TokenFault('redirect_uri_mismatch')
    const verifier = form.get('code_verifier') ?? ''
    if (createHash('sha256').update(verifier).digest('base64url') !== known.challenge)
      throw new TokenFault('invalid_grant')
    const isLasting = givesRefreshToken && known.isOffline
    if (isLasting) this.#remember(known.grant)
    return this.#give(known.grant, isLasting, known.nonce)
  }

  /** @throws TokenFault */
  renew(form: URLSearchParams): GivenTokens {
    const token = form.get('refresh_token') ?? ''
    const grant = this.#refresh.get(token)
    if (grant === undefined || grant.isEnded) throw new TokenFault('invalid_grant')
    if (!this.rotates) return this.#give(grant, false)
    this.#refresh.delete(token)
    this.#remember(grant)
    return this.#give(grant, true)
  }

  /** Ends everything that the account of this token has allowed; false for a token that is not known. */
  revoke(token: string): boolean {
    const grant = this.#access.get(token)?.grant ?? this.#refresh.get(token)
    if (grant === undefined || grant.isEnded) return false
    for (const other of this.#refresh.values()) if (other.account === grant.account) other.isEnded = true
    grant.isEnded = true
    return true
  }

  /** What a person does on the page of their Google account. */
  endAll(): void {
    for (const grant of this.#refresh.values()) grant.isEnded = true
    for (const { grant } of this.#access.values()) grant.isEnded = true
  }

  /** Access tokens are not good any more; refresh tokens are. */
  expireAccess(): void {
    this.#access.clear()
  }

  find(accessToken: string): StandInGrant | undefined {
    const known = this.#access.get(accessToken)
    return known === undefined || known.grant.isEnded || known.until < Date.now() ? undefined : known.grant
  }

  #remember(grant: Grant): void {
    grant.refreshToken = `1//${randomBytes(16).toString('base64url')}`
    this.#refresh.set(grant.refreshToken, grant)
  }

  #give(grant: Grant, withRefreshToken: boolean, nonce = ''): GivenTokens {
    const accessToken = `ya29.${randomBytes(16).toString('base64url')}`
    this.#access.set(accessToken, { grant, until: Date.now() + this.life * 1_000 })
    return { grant, accessToken, refreshToken: withRefreshToken ? grant.refreshToken : undefined, nonce }
  }
}
