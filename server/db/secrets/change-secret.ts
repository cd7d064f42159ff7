import { AppError } from '../../lib/app-error.ts'
import { maskSecret } from './mask-secret.ts'
import type { Sealer } from './seal-secret.ts'

export interface SecretChange {
  /** The name of the field on the wire, for the error. */
  readonly field: string
  /** The stored secret, sealed. */
  readonly stored: string | null
  /** The value from the client: undefined or the mask keeps the stored secret, null or empty clears it, others replace it. */
  readonly given: string | null | undefined
  /** A stored secret belongs to one address, so it is removed when the address changes. */
  readonly addressChanged: boolean
}

/**
 * Returns the sealed secret to store (§21.1).
 * @throws AppError `invalid_request` for a text that no header can carry, such as the mask of another secret
 */
export function changeSecret(sealer: Sealer, change: SecretChange): string | null {
  const { field, stored, given, addressChanged } = change
  if (given === undefined || (given !== null && given === maskSecret(sealer, stored))) {
    return addressChanged ? null : stored
  }
  if (given === null || given === '') return null
  if (!/^[\x21-\x7e]+$/.test(given)) {
    throw new AppError('invalid_request', `${field}: use ASCII letters, digits and symbols without spaces`)
  }
  return sealer.seal(given)
}
