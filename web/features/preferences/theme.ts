import { createStoredValue } from '../../lib/browser-storage.ts'

/** The values of the theme preference. */
const themes = ['light', 'dark', 'system'] as const
export type Theme = (typeof themes)[number]

const darkQuery = '(prefers-color-scheme: dark)'

/** The theme chosen in this browser. An unknown stored value counts as light. */
export const themePreference = createStoredValue<Theme>(
  'theme',
  (text) => themes.find((theme) => theme === text) ?? 'light',
)

/** Returns the theme that follows the given one: light, dark, system, light. */
export function nextTheme(theme: Theme): Theme {
  return themes[themes.indexOf(theme) + 1] ?? 'light'
}

/** Applies the theme now and whenever the user or the system changes it. Returns a function that stops this. */
export function followTheme(): () => void {
  const system = matchMedia(darkQuery)
  const apply = () => {
    const theme = themePreference.get()
    applyTheme(theme === 'dark' || (theme === 'system' && system.matches))
  }
  apply()
  const unsubscribe = themePreference.subscribe(apply)
  system.addEventListener('change', apply)
  return () => {
    unsubscribe()
    system.removeEventListener('change', apply)
  }
}

/**
 * Switches the page, the `theme-color` of the browser and the tab icon to light or dark. `public/theme.js` does the
 * same before the first paint, when no module has loaded yet.
 */
function applyTheme(isDark: boolean): void {
  document.documentElement.classList.toggle('dark', isDark)
  document
    .querySelector('link[rel="icon"]')
    ?.setAttribute('href', isDark ? '/icon-dark.svg' : '/icon-light.svg')
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', isDark ? '#161718' : '#fbfaf9')
}
