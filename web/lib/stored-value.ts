import { browserStorage } from './browser-storage.ts'
import type { ReadableStore } from './store.ts'

export interface StoredValue<Value> extends ReadableStore<Value> {
  readonly set: (value: Value) => void
}

/**
 * A preference in the browser's storage, the same in every tab. `parse` gets the stored text, null where there is none, and
 * returns equal values for equal texts.
 */
export function createStoredValue<Value extends string | boolean>(
  key: string,
  parse: (text: string | null) => Value,
): StoredValue<Value> {
  const listeners = new Set<() => void>()
  return {
    get: () => parse(browserStorage.read(key)),
    set: (value) => {
      browserStorage.write(key, String(value))
      for (const listener of listeners) listener()
    },
    subscribe: (listener) => {
      const onStorage = (event: StorageEvent) => {
        // A null key means that everything was cleared.
        if (event.key === key || event.key === null) listener()
      }
      listeners.add(listener)
      window.addEventListener('storage', onStorage)
      return () => {
        listeners.delete(listener)
        window.removeEventListener('storage', onStorage)
      }
    },
  }
}
