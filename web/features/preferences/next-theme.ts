import type { Theme } from '@yonder/contract/theme'

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
