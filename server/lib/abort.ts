/** Calls `act` when `signal` is aborted, at once where it is already. The returned function takes that back. */
export function onAbort(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
  return () => signal.removeEventListener('abort', act)
}
