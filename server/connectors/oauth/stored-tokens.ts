import type { StoredOAuthTokens } from '@modelcontextprotocol/client'
import type { Sealer } from '../../db/secrets/seal-secret.ts'

export interface StoredTokens {
  readonly tokens: StoredOAuthTokens
  /** Milliseconds since 1970; null when the server sent no lifetime. */
  readonly expiresAt: number | null
}

/** Seals tokens together with the time at which they expire. `now` is milliseconds since 1970. */
export function sealTokens(sealer: Sealer, tokens: StoredOAuthTokens, now: number): string {
  const expiresAt = tokens.expires_in === undefined ? null : now + tokens.expires_in * 1_000
  return sealer.seal(JSON.stringify({ tokens, expiresAt } satisfies StoredTokens))
}

/** @throws Error when they were sealed with another key */
export function openTokens(sealer: Sealer, sealed: string): StoredTokens {
  return JSON.parse(sealer.open(sealed)) as StoredTokens
}
