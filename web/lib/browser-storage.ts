const memory = new Map<string, string>()

/**
 * Local storage that never throws. Where the browser blocks it or it is full, values live as long as the page, so that
 * what one screen leaves for the next still arrives.
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
      // What cannot be reached cannot be read either.
    }
  },
}
