import type { Theme } from './read-theme.ts'
import { useSyncExternalStore } from 'react'
import { themeStore } from './theme-store.ts'

export function useTheme(): Theme {
  return useSyncExternalStore(themeStore.subscribe, themeStore.theme)
}
