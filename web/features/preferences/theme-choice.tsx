import { MenuChoice } from '../../ui/menu/menu-item.tsx'
import { themeOptions } from './theme-options.tsx'
import { themeStore } from './theme-store.ts'
import { useTheme } from './use-theme.ts'

/** The three themes side by side, for a menu (§2.18). */
export function ThemeChoice() {
  const theme = useTheme()
  return <MenuChoice label="Theme" value={theme} options={themeOptions} onChange={themeStore.choose} />
}
