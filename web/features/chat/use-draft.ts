import { useCallback, useSyncExternalStore } from 'react'
import { browserStorage } from '../../lib/browser-storage.ts'

const listeners = new Set<() => void>()

/** Text that is being written, kept under a storage key so that leaving or reloading loses nothing. */
export const drafts = {
  read: (key: string): string => browserStorage.read(key) ?? '',
  write(key: string, text: string): void {
    if (text === '') browserStorage.remove(key)
    else browserStorage.write(key, text)
    for (const listener of listeners) listener()
  },
}

export function useDraft(key: string): readonly [string, (text: string) => void] {
  const text = useSyncExternalStore(listen, () => drafts.read(key))
  const write = useCallback((next: string) => drafts.write(key, next), [key])
  return [text, write]
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
