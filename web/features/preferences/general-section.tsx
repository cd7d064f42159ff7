import type { ReactNode } from 'react'
import { SettingsGroup, SettingsRow } from '../../ui/form/settings-list.tsx'
import { LogsSwitch } from './logs-switch.tsx'
import { ThemeToggle } from './theme-toggle.tsx'
import { UserInformation } from './user-information.tsx'

/** The General section of settings: who is signed in, what the application looks like, and what a screen adds. */
export function GeneralSection({ children }: { readonly children?: ReactNode }) {
  return (
    <div className="flex flex-col gap-8">
      <h2 className="text-lg font-semibold">General</h2>
      <UserInformation />
      <SettingsGroup title="Appearance">
        <SettingsRow name="Theme" meaning="Light, dark, or as the system has it.">
          <ThemeToggle />
        </SettingsRow>
        <SettingsRow name="Connection logs" meaning="Beside a chat, how its tool servers connect.">
          <LogsSwitch />
        </SettingsRow>
      </SettingsGroup>
      {children}
    </div>
  )
}
