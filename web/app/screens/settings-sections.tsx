import { lazy, type ComponentType } from 'react'
import { GeneralSettings } from './general-settings.tsx'

const BotsSettings = lazy(async () => ({ default: (await import('./bots-settings.tsx')).BotsSettings }))

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
  { id: 'general', label: 'General', Section: GeneralSettings },
  { id: 'bots', label: 'Bots', Section: BotsSettings },
  { id: 'connectors', label: 'Connectors', Section: ConnectorsSection },
  { id: 'integrations', label: 'Integrations', Section: IntegrationsSection },
  { id: 'usage', label: 'Usage', Section: UsageSection },
]
