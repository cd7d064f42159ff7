import { themes, type Theme } from '@yonder/contract/theme'
import { browserStorage } from '../../lib/browser-storage.ts'

/** Where the choice is kept (§3.21). */
export const themeKey = 'theme'

/** The stored theme; anything but the three known words counts as light (§4.6). */
export function readTheme(): Theme {
  const stored = browserStorage.read(themeKey)
  return themes.find((theme) => theme === stored) ?? 'light'
}
