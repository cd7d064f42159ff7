import { Button } from '../../ui/button/button.tsx'
import { nextTheme } from './next-theme.ts'
import { themeOptions } from './theme-options.tsx'
import { themeStore } from './theme-store.ts'
import { useTheme } from './use-theme.ts'

/** Goes to the next theme with each press (§2.50, §4.6). */
export function ThemeToggle() {
  const theme = useTheme()
  const current = themeOptions.find(({ value }) => value === theme)
  const next = themeOptions.find(({ value }) => value === nextTheme(theme))
  return (
    <span className="grid w-28">
      <Button
        aria-label={`Theme: ${current?.label}. Switch to ${next?.label}`}
        onClick={() => themeStore.choose(nextTheme(theme))}
      >
        {current?.icon}
        {current?.label}
      </Button>
    </span>
  )
}
