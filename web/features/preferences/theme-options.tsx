import type { Theme } from './read-theme.ts'
import { Monitor, Moon, Sun } from 'lucide-react'
import type { ReactNode } from 'react'

/** The themes as a person chooses them. */
export const themeOptions: readonly {
  readonly value: Theme
  readonly label: string
  readonly icon: ReactNode
}[] = [
  { value: 'light', label: 'Light', icon: <Sun size={16} aria-hidden /> },
  { value: 'dark', label: 'Dark', icon: <Moon size={16} aria-hidden /> },
  { value: 'system', label: 'System', icon: <Monitor size={16} aria-hidden /> },
]
