/** Missing where the page is not a secure context: `http` at another address than localhost. */
const locks = (): LockManager | undefined => navigator.locks

/**
 * Holds a lock until the returned function is called or the page is closed, so that the other tabs of the browser can
 * wait for it.
 */
export function holdLock(name: string): () => void {
  let release = () => {}
  const released = new Promise<void>((resolve) => (release = resolve))
  void locks()?.request(name, () => released)
  return release
}

/**
 * Calls `onReleased` when no tab holds the lock, at once where the browser has no locks, and never after `signal` was
 * aborted.
 */
export async function whenReleased(name: string, signal: AbortSignal, onReleased: () => void): Promise<void> {
  try {
    await locks()?.request(name, { signal }, () => undefined)
  } catch {
    // The request was aborted.
  }
  if (!signal.aborted) onReleased()
}
