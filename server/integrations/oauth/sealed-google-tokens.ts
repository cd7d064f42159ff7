import type { Sealer } from '../../db/secrets/seal-secret.ts'
import type { GoogleTokens } from './google-client.ts'

/** What is kept of what Google gave; the scopes stand beside it, since they are no secret. */
export interface KeptTokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export function sealGoogleTokens(
  sealer: Sealer,
  { accessToken, expiresAt }: GoogleTokens,
  refreshToken: string,
): string {
  return sealer.seal(JSON.stringify({ accessToken, refreshToken, expiresAt } satisfies KeptTokens))
}

/** Undefined when they cannot be read any more, since the installation's key is another one. */
export function openGoogleTokens(sealer: Sealer, sealed: string): KeptTokens | undefined {
  try {
    return JSON.parse(sealer.open(sealed)) as KeptTokens
  } catch {
    return undefined
  }
}
