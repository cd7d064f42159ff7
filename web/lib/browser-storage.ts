import type { ReadableStore } from './store.ts'

const memory = new Map<string, string>()
const listeners = new Set<() => void>()

function notify(): void {
  for (const listener of listeners) listener()
}

/**
 * Local storage that never throws. If the browser blocks it or it is full, values stay in memory until the page is
 * closed, so that one screen can still pass values to the next.
 */
export const browserStorage = {
  read(key: string): string | null {
    try {
      return memory.get(key) ?? localStorage.getItem(key)
    } catch {
      return memory.get(key) ?? null
    }
  },
  /** Parses a JSON value that `write` has stored; undefined if there is none. */
  readJson(key: string): unknown {
    try {
      return JSON.parse(browserStorage.read(key) ?? 'null') ?? undefined
    } catch {
      return undefined
    }
  },
  write(key: string, value: string): void {
    try {
      localStorage.setItem(key, value)
      memory.delete(key)
    } catch {
      memory.set(key, value)
    }
    notify()
  },
  keys(): readonly string[] {
    try {
      return [...new Set([...memory.keys(), ...Object.keys(localStorage)])]
    } catch {
      return [...memory.keys()]
    }
  },
  remove(key: string): void {
    memory.delete(key)
    try {
      localStorage.removeItem(key)
    } catch {
      // A value that cannot be removed here cannot be read either.
    }
    notify()
  },
  /** Calls `listener` after each change, here or in another tab, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    window.addEventListener('storage', listener)
    return () => {
      listeners.delete(listener)
      window.removeEventListener('storage', listener)
    }
  },
}

export interface StoredValue<Value> extends ReadableStore<Value> {
  readonly set: (value: Value) => void
}

/**
 * A preference in the browser's storage, the same in every tab. `parse` gets the stored text, null where there is none,
 * and returns equal values for equal texts.
 */
export function createStoredValue<Value extends string | boolean>(
  key: string,
  parse: (text: string | null) => Value,
): StoredValue<Value> {
  return {
    get: () => parse(browserStorage.read(key)),
    set: (value) => browserStorage.write(key, String(value)),
    subscribe: browserStorage.subscribe,
  }
}
