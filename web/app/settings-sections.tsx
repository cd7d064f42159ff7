import { lazy, type ComponentType } from 'react'
import { GeneralSection } from '../features/preferences/general-section.tsx'

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
  { id: 'general', label: 'General', Section: GeneralSection },
  { id: 'bots', label: 'Bots', Section: BotsSection },
]
