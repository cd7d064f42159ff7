import { AppError } from '../../lib/app-error.ts'
import { isHeaderSecret } from '../../lib/text.ts'
import { sealCredential } from './credential.ts'
import { maskSecret } from './mask-secret.ts'
import type { SealContext, Sealer } from './seal-secret.ts'

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
