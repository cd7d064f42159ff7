const memory = new Map<string, string>()

/**
 * Local storage that never throws. If the browser blocks it or it is full, values are stored until the page is closed,
 * so that one screen can still pass values to the next.
 */
export const browserStorage = {
  read(key: string): string | null {
    try {
      return memory.get(key) ?? localStorage.getItem(key)
    } catch {
      return memory.get(key) ?? null
    }
  },
  write(key: string, value: string): void {
    try {
      localStorage.setItem(key, value)
      memory.delete(key)
    } catch {
      memory.set(key, value)
    }
  },
  keys(): readonly string[] {
    try {
      return [...memory.keys(), ...Object.keys(localStorage)]
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
  },
}
