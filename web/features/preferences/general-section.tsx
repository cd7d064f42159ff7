import type { ReactNode } from 'react'
import { useStore } from '../../lib/store.ts'
import { SettingsGroup, SettingsHeader, SettingsRow } from '../../ui/form/settings-list.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { connectionLogsPreference } from './connection-logs.ts'
import { ThemeToggle } from './theme-controls.tsx'
import { thingsToTryPreference } from './things-to-try.ts'
import { UserInformation } from './user-information.tsx'

export interface GeneralSectionProps {
  /** The address of the account page of the built-in provider; null with any other provider. */
  readonly accountUrl: string | null
  readonly children?: ReactNode
}

/** The General section of settings: the user, the appearance, and the groups that the screen passes in. */
export function GeneralSection({ accountUrl, children }: GeneralSectionProps) {
  return (
    <>
      <SettingsHeader title="General" />
      <div className="flex flex-col gap-8">
        <UserInformation accountUrl={accountUrl} />
        <SettingsGroup title="Appearance">
          <SettingsRow name="Theme" meaning="Light, dark, or the same as the system.">
            <ThemeToggle />
          </SettingsRow>
          <SettingsRow
            name="Connection logs"
            meaning="Shows the connection logs of tool servers beside the chat."
          >
            <LogsSwitch />
          </SettingsRow>
          <SettingsRow
            name="Things to try"
            meaning="Suggests messages on the home page. They disappear when you have ten chats."
          >
            <ThingsToTrySwitch />
          </SettingsRow>
        </SettingsGroup>
        {children}
      </div>
    </>
  )
}

function LogsSwitch() {
  const checked = useStore(connectionLogsPreference)
  return <Switch label="Connection logs" checked={checked} onChange={connectionLogsPreference.set} />
}

function ThingsToTrySwitch() {
  const preference = useStore(thingsToTryPreference)
  return (
    <Switch
      label="Things to try"
      checked={preference !== 'hidden'}
      onChange={(checked) => thingsToTryPreference.set(checked ? 'shown' : 'hidden')}
    />
  )
}
