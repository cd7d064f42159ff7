import { lazy, type ComponentType } from 'react'
import { GeneralScreen } from './general-screen.tsx'

const BotsSection = lazy(async () => ({
  default: (await import('../features/bots/bots-section.tsx')).BotsSection,
}))

export interface SettingsSection {
  /** The last part of its address. */
  readonly id: string
  readonly label: string
  readonly Section: ComponentType
}

export const settingsSections: readonly SettingsSection[] = [
  { id: 'general', label: 'General', Section: GeneralScreen },
  { id: 'bots', label: 'Bots', Section: BotsSection },
]
