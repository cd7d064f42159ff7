import { openJson, type Credential } from './credential.ts'
import type { SealContext, Sealer } from './seal-secret.ts'

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
  const secret = (openJson(sealer, context, sealed) as Credential | undefined)?.secret ?? ''
  if (secret.length <= maxFullyHiddenChars) return hidden
  return secret.slice(0, visibleChars) + hidden + secret.slice(-visibleChars)
}
