import type { Sealer } from './seal-secret.ts'

const hidden = '•'.repeat(8)

/** Shorter secrets show nothing: eight known characters of twelve would be most of one. */
const longestWhollyHidden = 12
const shown = 4

/**
 * What a person sees of a stored secret (§9.9): its ends, or nothing of a short one. A secret that no longer opens, since
 * the installation's key is another one, is masked as a short one: it is there, and of no use.
 */
export function maskSecret(sealer: Sealer, sealed: string | null): string | null {
  if (sealed === null) return null
  const secret = openOrNothing(sealer, sealed)
  if (secret.length <= longestWhollyHidden) return hidden
  return secret.slice(0, shown) + hidden + secret.slice(-shown)
}

function openOrNothing(sealer: Sealer, sealed: string): string {
  try {
    return sealer.open(sealed)
  } catch {
    return ''
  }
}
