import { useCallback, useSyncExternalStore } from 'react'
import { browserStorage } from '../../../lib/browser-storage.ts'
import { storageKeys } from './chat-storage.ts'

/** The texts of the boxes that are open on this page. Other tabs write under the same keys, which must change nothing here. */
const opened = new Map<string, string>()
const listeners = new Set<() => void>()

/** Unsent text, stored under a key so that leaving or reloading loses nothing (§10.23). */
export const drafts = {
  read: (key: string): string => opened.get(key) ?? browserStorage.read(key) ?? '',
  write(key: string, text: string): void {
    if (opened.has(key)) opened.set(key, text)
    if (text === '') browserStorage.remove(key)
    else browserStorage.write(key, text)
    for (const listener of listeners) listener()
  },
}

/** The text of a box and its setter. The stored text is only what the box begins with. */
export function useDraft(key: string): readonly [string, (text: string) => void] {
  const open = useCallback(
    (listener: () => void) => {
      opened.set(key, drafts.read(key))
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        opened.delete(key)
      }
    },
    [key],
  )
  const text = useSyncExternalStore(open, () => drafts.read(key))
  const write = useCallback((next: string) => drafts.write(key, next), [key])
  return [text, write]
}

/** Puts a text back into the input of a chat, before what has been written there since. */
export function restoreDraft(chatId: string, text: string): void {
  const key = storageKeys.draft(chatId)
  const written = drafts.read(key)
  if (written.trim() === text.trim()) return
  drafts.write(key, written.trim() === '' ? text : `${text}\n\n${written}`)
}
