import type { StoredOAuthTokens } from '@modelcontextprotocol/client'
import type { Sealer } from '../../db/secrets/seal-secret.ts'

export interface KeptTokens {
  readonly tokens: StoredOAuthTokens
  /** Milliseconds since 1970; null when the server did not say. */
  readonly expiresAt: number | null
}

/** Seals tokens with the time at which they end. `now` is milliseconds since 1970. */
export function writeTokens(sealer: Sealer, tokens: StoredOAuthTokens, now: number): string {
  const expiresAt = tokens.expires_in === undefined ? null : now + tokens.expires_in * 1_000
  return sealer.seal(JSON.stringify({ tokens, expiresAt } satisfies KeptTokens))
}

/** @throws Error when they were sealed with another key */
export function readTokens(sealer: Sealer, sealed: string): KeptTokens {
  return JSON.parse(sealer.open(sealed)) as KeptTokens
}
