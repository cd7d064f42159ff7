import type { Theme } from './read-theme.ts'
import { browserStorage } from '../../lib/browser-storage.ts'
import { paintTheme } from './paint-theme.ts'
import { readTheme, themeKey } from './read-theme.ts'

const darkQuery = '(prefers-color-scheme: dark)'

let theme: Theme = 'light'
const listeners = new Set<() => void>()

function take(next: Theme): void {
  theme = next
  paintTheme(theme === 'dark' || (theme === 'system' && matchMedia(darkQuery).matches))
  for (const listener of listeners) listener()
}

/** The theme of this browser: painted, remembered, and the same in every tab. */
export const themeStore = {
  theme: (): Theme => theme,
  choose: (next: Theme): void => {
    browserStorage.write(themeKey, next)
    take(next)
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  /** Paints the stored theme and follows the operating system and other tabs, until the answer is called. */
  follow: (): (() => void) => {
    take(readTheme())
    const system = matchMedia(darkQuery)
    const repaint = () => take(theme)
    const reread = (event: StorageEvent) => {
      if (event.key === themeKey || event.key === null) take(readTheme())
    }
    system.addEventListener('change', repaint)
    window.addEventListener('storage', reread)
    return () => {
      system.removeEventListener('change', repaint)
      window.removeEventListener('storage', reread)
    }
  },
}
