import { noticeKinds, type NoticeKind } from '@yonder/contract/lib/notices'
import type { NotificationSettings } from '@yonder/contract/notification'
import { useId } from 'react'
import { useChangeNotifications, useNotificationSettings } from '../../data/notifications.ts'
import { readReason } from '../../lib/api/api-error.ts'
import { SettingsGroup, SettingsHeader, SettingsRow } from '../../ui/form/settings-list.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { Skeleton } from '../../ui/states/progress.tsx'
import { DeviceList } from './device-list.tsx'
import { ThisBrowser } from './this-browser.tsx'
import { WebhookCard } from './webhook-card.tsx'

/** The Notifications section of settings: what the user is told, and where. */
export function NotificationsSection() {
  const title = useId()
  const { data, error, mutate } = useNotificationSettings()
  return (
    <section aria-labelledby={title}>
      <SettingsHeader
        id={title}
        title="Notifications"
        description="While a tab with Yonder is visible, nothing is sent."
      />
      {data !== undefined ? (
        <Cards settings={data} />
      ) : error === undefined ? (
        <output className="flex flex-col gap-8">
          <span className="sr-only">Loading notifications</span>
          <Skeleton shape="block" size="h-48" />
          <Skeleton shape="block" size="h-48" />
        </output>
      ) : (
        <ErrorState title="Notifications could not be loaded" onRetry={() => void mutate()}>
          {readReason(error)}
        </ErrorState>
      )}
    </section>
  )
}

const kindRows: Readonly<Record<NoticeKind, readonly [name: string, meaning: string]>> = {
  reply_ended: ['A reply has ended', 'When it took at least half a minute.'],
  reply_failed: ['A reply has failed', 'Also when the server stopped before its end.'],
  call_asks: ['A tool waits for you', 'It needs your approval, or has a question for you.'],
}

function Cards({ settings }: { readonly settings: NotificationSettings }) {
  const change = useChangeNotifications()
  const { kinds, with_text } = settings
  const toggle = (kind: NoticeKind, isOn: boolean) =>
    change.run({ kinds: noticeKinds.filter((other) => (other === kind ? isOn : kinds.includes(other))) })
  return (
    <div className="flex flex-col gap-8">
      <SettingsGroup title="Tell me when">
        {noticeKinds.map((kind) => {
          const [name, meaning] = kindRows[kind]
          return (
            <SettingsRow key={kind} name={name} meaning={meaning}>
              <Switch
                label={name}
                checked={kinds.includes(kind)}
                onChange={(isOn) => void toggle(kind, isOn)}
              />
            </SettingsRow>
          )
        })}
        <SettingsRow
          name="Show chat titles and text in notifications"
          meaning="Without it, they say only which bot has answered. Titles and text are stored by the device, and a webhook gets them too."
        >
          <Switch
            label="Show chat titles and text in notifications"
            checked={with_text}
            onChange={(isOn) => void change.run({ with_text: isOn })}
          />
        </SettingsRow>
      </SettingsGroup>
      <SettingsGroup title="Browsers">
        {/* One child, because the group would draw its line also above a list without a browser. */}
        <div>
          <ThisBrowser settings={settings} />
          <DeviceList settings={settings} />
        </div>
      </SettingsGroup>
      <WebhookCard webhook={settings.webhook} />
    </div>
  )
}
