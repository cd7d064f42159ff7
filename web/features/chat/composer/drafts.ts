import { useCallback, useSyncExternalStore } from 'react'
import { browserStorage } from '../../../lib/browser-storage.ts'
import { storageKeys } from './chat-storage.ts'

/** The texts of the inputs that are open on this page. Other tabs write to the same storage keys and must not change them. */
const openTexts = new Map<string, string>()
const listeners = new Set<() => void>()

/** Unsent text, stored under a key so that leaving or reloading loses nothing (§10.23). */
export const drafts = {
  read: (key: string): string => openTexts.get(key) ?? browserStorage.read(key) ?? '',
  write(key: string, text: string): void {
    if (openTexts.has(key)) openTexts.set(key, text)
    if (text === '') browserStorage.remove(key)
    else browserStorage.write(key, text)
    for (const listener of listeners) listener()
  },
}

/** The text of an input and its setter. The stored text is only the initial value. */
export function useDraft(key: string): readonly [string, (text: string) => void] {
  const subscribe = useCallback(
    (listener: () => void) => {
      openTexts.set(key, drafts.read(key))
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
        openTexts.delete(key)
      }
    },
    [key],
  )
  const text = useSyncExternalStore(subscribe, () => drafts.read(key))
  const write = useCallback((next: string) => drafts.write(key, next), [key])
  return [text, write]
}

/** Puts a text back into the input of a chat, before the text that has been written there since (§10.19). */
export function restoreDraft(chatId: string, text: string): void {
  const key = storageKeys.draft(chatId)
  const written = drafts.read(key)
  if (written.trim() === text.trim()) return
  drafts.write(key, written.trim() === '' ? text : `${text}\n\n${written}`)
}
