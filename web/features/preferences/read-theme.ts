import { browserStorage } from '../../lib/browser-storage.ts'

/** The theme preference (§3.19). */
const themes = ['light', 'dark', 'system'] as const
export type Theme = (typeof themes)[number]

/** The storage key (§3.21). */
export const themeKey = 'theme'

/** The stored theme; anything but the three known words counts as light (§4.6). */
export function readTheme(): Theme {
  const stored = browserStorage.read(themeKey)
  return themes.find((theme) => theme === stored) ?? 'light'
}
