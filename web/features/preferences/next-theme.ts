import type { Theme } from './read-theme.ts'

/** The theme after this one: light, dark, system, light (§4.6). */
export function nextTheme(theme: Theme): Theme {
  switch (theme) {
    case 'light':
      return 'dark'
    case 'dark':
      return 'system'
    case 'system':
      return 'light'
  }
}
