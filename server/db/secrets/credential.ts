import { AppError } from '../../lib/app-error.ts'
import { isHeaderSecret } from '../../lib/text.ts'
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

const hidden = '•'.repeat(8)

/** Secrets of up to this length are hidden completely, because eight visible characters would be most of the secret. */
const maxFullyHiddenChars = 12
const visibleChars = 4

/**
 * The masked form of a stored secret for users: its first and last characters, or only dots for a short one. A
 * secret that cannot be decrypted, because the installation's key has changed, is masked like a short one.
 */
export function maskSecret(sealer: Sealer, context: SealContext, sealed: string | null): string | null {
  if (sealed === null) return null
  return maskText((openJson(sealer, context, sealed) as Credential | undefined)?.secret ?? '')
}

export function maskText(secret: string): string {
  if (secret.length <= maxFullyHiddenChars) return hidden
  return secret.slice(0, visibleChars) + hidden + secret.slice(-visibleChars)
}

export interface SecretChange {
  /** The name of the field on the wire, for the error. */
  readonly field: string
  readonly context: SealContext
  /** The stored secret, sealed. */
  readonly stored: string | null
  /** The value from the client: undefined or the mask keeps the stored secret, null or an empty text removes it. */
  readonly input: string | null | undefined
  /** The address that a new secret belongs to. */
  readonly address: string | null
  /** A stored secret belongs to one address, so it is removed when the address changes. */
  readonly addressChanged: boolean
}

/**
 * Returns the sealed secret to store.
 * @throws AppError `invalid_request` for a text that no header can carry, such as the mask of another secret
 */
export function changeSecret(sealer: Sealer, change: SecretChange): string | null {
  const { field, context, stored, input, address, addressChanged } = change
  if (input === undefined || (input !== null && input === maskSecret(sealer, context, stored))) {
    return addressChanged ? null : stored
  }
  if (input === null || input === '') return null
  if (!isHeaderSecret(input)) {
    throw new AppError('invalid_request', `${field}: use ASCII letters, digits and symbols without spaces`)
  }
  return sealCredential(sealer, context, { secret: input, address })
}
