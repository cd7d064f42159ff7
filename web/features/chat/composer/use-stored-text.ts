import { useSyncExternalStore } from 'react'
import { browserStorage } from '../../../lib/browser-storage.ts'

/** Milliseconds between two looks at a stored value (§4.5, §9.12). */
const pollInterval = 100

const listeners = new Set<() => void>()

/** A value of the browser's storage, followed wherever it changes: here, in another tab, by another part of the page. */
export function useStoredText(key: string): string | null {
  return useSyncExternalStore(poll, () => browserStorage.read(key))
}

/** Stores a value; this page shows it at once. */
export function writeStoredText(key: string, text: string): void {
  browserStorage.write(key, text)
  for (const listener of listeners) listener()
}

function poll(onChange: () => void): () => void {
  const timer = setInterval(onChange, pollInterval)
  listeners.add(onChange)
  return () => {
    clearInterval(timer)
    listeners.delete(onChange)
  }
}
