import { Monitor, Moon, Sun } from 'lucide-react'
import { useStore } from '../../lib/store.ts'
import { Button } from '../../ui/button/button.tsx'
import { MenuChoice } from '../../ui/menu/menu.tsx'
import { nextTheme, themePreference } from './theme.ts'

/** The themes that the user can choose. */
const themeOptions = [
  { value: 'light', label: 'Light', icon: <Sun size={16} aria-hidden /> },
  { value: 'dark', label: 'Dark', icon: <Moon size={16} aria-hidden /> },
  { value: 'system', label: 'System', icon: <Monitor size={16} aria-hidden /> },
] as const

/** The three themes side by side, for a menu. */
export function ThemeChoice() {
  const theme = useStore(themePreference)
  return <MenuChoice label="Theme" value={theme} options={themeOptions} onChange={themePreference.set} />
}

/** Switches to the next theme. */
export function ThemeToggle() {
  const theme = useStore(themePreference)
  const current = themeOptions.find(({ value }) => value === theme)
  const next = themeOptions.find(({ value }) => value === nextTheme(theme))
  return (
    <span className="grid w-28">
      <Button
        aria-label={`Theme: ${current?.label}. Switch to ${next?.label}`}
        onClick={() => themePreference.set(nextTheme(theme))}
      >
        {current?.icon}
        {current?.label}
      </Button>
    </span>
  )
}
