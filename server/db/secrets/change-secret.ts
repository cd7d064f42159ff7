import { AppError } from '../../lib/app-error.ts'
import { maskSecret } from './mask-secret.ts'
import type { Sealer } from './seal-secret.ts'

export interface SecretChange {
  /** The name of the field on the wire, for the refusal. */
  readonly field: string
  /** What is stored now, sealed. */
  readonly stored: string | null
  /** What came: absent or the mask keeps the stored secret, null or empty clears it, all else replaces it. */
  readonly given: string | null | undefined
  /** A stored secret was given for one address: it is not carried over to another. */
  readonly addressChanged: boolean
}

/**
 * What to store, sealed.
 * @throws AppError `invalid_request` for a text that no header can carry, among them another secret's mask
 */
export function changeSecret(sealer: Sealer, change: SecretChange): string | null {
  const { field, stored, given, addressChanged } = change
  if (given === undefined || (given !== null && given === maskSecret(sealer, stored))) {
    return addressChanged ? null : stored
  }
  if (given === null || given === '') return null
  if (!/^[\x21-\x7e]+$/.test(given)) {
    throw new AppError(
      'invalid_request',
      `${field}: must be letters, digits and signs of ASCII without spaces`,
    )
  }
  return sealer.seal(given)
}
