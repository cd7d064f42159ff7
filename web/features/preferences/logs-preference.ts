import { browserStorage } from '../../lib/browser-storage.ts'

/** Where the choice is kept, as the text true or false (§3.22). */
const key = 'showMcpLogs'

const listeners = new Set<() => void>()

/** Whether the connections to tool servers are shown in chats (§1.10); the same in every tab of this browser. */
export const logsPreference = {
  /** Not shown unless somebody wants them (§9.14). */
  isOn: (): boolean => browserStorage.read(key) === 'true',
  choose: (isOn: boolean): void => {
    browserStorage.write(key, String(isOn))
    for (const listener of listeners) listener()
  },
  subscribe: (listener: () => void): (() => void) => {
    const reread = (event: StorageEvent) => {
      if (event.key === key || event.key === null) listener()
    }
    listeners.add(listener)
    window.addEventListener('storage', reread)
    return () => {
      listeners.delete(listener)
      window.removeEventListener('storage', reread)
    }
  },
}
