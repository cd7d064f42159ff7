interface Toggle {
  readonly name: string
}

const toggles = new Set<Toggle>()
const listeners = new Set<() => void>()

function notify(): void {
  for (const listener of listeners) listener()
}

/** The connectors that are being connected or disconnected, also while no row of them is on the page. */
export const togglesUnderWay = {
  has: (name: string): boolean => [...toggles].some((toggle) => toggle.name === name),
  /** Answers what ends it again. */
  begin: (name: string): (() => void) => {
    const toggle = { name }
    toggles.add(toggle)
    notify()
    return () => {
      toggles.delete(toggle)
      notify()
    }
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}
