import type { SealContext, Sealer } from './seal-secret.ts'

/** A secret that a user entered, and where it may be sent. Both are sealed together, so neither changes alone. */
export interface Credential {
  readonly secret: string
  /** An origin or an issuer. Null when it was entered while there was no address for it. */
  readonly address: string | null
}

export function sealCredential(sealer: Sealer, context: SealContext, credential: Credential): string {
  const { secret, address } = credential
  return sealer.seal(JSON.stringify({ secret, address } satisfies Credential), context)
}

/** Throws when it was sealed with another key or for another context. */
export function openCredential(sealer: Sealer, context: SealContext, sealed: string): Credential {
  return JSON.parse(sealer.open(sealed, context)) as Credential
}

/** Opens sealed JSON. Returns undefined for null, and for a text that was sealed with another SECRET_KEY. */
export function openJson(sealer: Sealer, context: SealContext, sealed: string | null): unknown {
  if (sealed === null) return undefined
  try {
    return JSON.parse(sealer.open(sealed, context))
  } catch {
    return undefined
  }
}

/** The address that a secret for `url` belongs to: its origin. Null for a text that is no URL. */
export function toOrigin(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}
