import { logError } from '../../lib/log-error.ts'

/** How a link was passed on; `cancelled` if the user closed the system's share dialog. */
type LinkDelivery = 'shared' | 'copied' | 'cancelled' | 'failed'

/** Passes a link to the system's share dialog if there is one, else to the clipboard. */
export async function deliverLink(address: string): Promise<LinkDelivery> {
  if (typeof navigator.share === 'function') {
    try {
      await navigator.share({ url: address })
      return 'shared'
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return 'cancelled'
      // The browser refused, for instance because the click was too long ago. Try the clipboard instead.
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
