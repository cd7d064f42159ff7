import { logError } from '../../lib/log-error.ts'

/** `cancelled` when the user closed the system's dialog. */
export type LinkDelivery = 'shared' | 'copied' | 'cancelled' | 'failed'

/** Passes a link to the system's share dialog, where there is one, else to the clipboard (§7.10). */
export async function deliverLink(address: string): Promise<LinkDelivery> {
  if (typeof navigator.share === 'function') {
    try {
      await navigator.share({ url: address })
      return 'shared'
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return 'cancelled'
      // Refused, for instance because the click was too long ago. The clipboard may still work.
    }
  }
  try {
    await navigator.clipboard.writeText(address)
    return 'copied'
  } catch (error) {
    logError('Copying failed', error)
    return 'failed'
  }
}
