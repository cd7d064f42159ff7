import { lazy, type ComponentType } from 'react'
import { GeneralScreen } from './general-screen.tsx'

const BotsScreen = lazy(async () => ({ default: (await import('./bots-screen.tsx')).BotsScreen }))

const ConnectorsSection = lazy(async () => ({
  default: (await import('../../features/connectors/connectors-section.tsx')).ConnectorsSection,
}))

const IntegrationsSection = lazy(async () => ({
  default: (await import('../../features/integrations/integrations-section.tsx')).IntegrationsSection,
}))

const UsageSection = lazy(async () => ({
  default: (await import('../../features/usage/usage-section.tsx')).UsageSection,
}))

export interface SettingsSection {
  /** The last segment of the section's path. */
  readonly id: string
  readonly label: string
  readonly Section: ComponentType
}

export const settingsSections: readonly SettingsSection[] = [
  { id: 'general', label: 'General', Section: GeneralScreen },
  { id: 'bots', label: 'Bots', Section: BotsScreen },
  { id: 'connectors', label: 'Connectors', Section: ConnectorsSection },
  { id: 'integrations', label: 'Integrations', Section: IntegrationsSection },
  { id: 'usage', label: 'Usage', Section: UsageSection },
]
