import { logError } from '../../lib/log-error.ts'

/** `cancelled` when the person closed the system's dialog: nothing more is done then. */
export type HandOver = 'shared' | 'copied' | 'cancelled' | 'failed'

/** Gives a link to the system's own way of sharing, where there is one, else to the clipboard (§7.10). */
export async function handOverLink(address: string): Promise<HandOver> {
  if (typeof navigator.share === 'function') {
    try {
      await navigator.share({ url: address })
      return 'shared'
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') return 'cancelled'
      // Refused, for instance because the click was too long ago: the clipboard is left.
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
