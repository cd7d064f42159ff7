import type { NotificationSettings, PushDevice, TestResult } from '@yonder/contract/notification'
import { useRef, useState } from 'react'
import { useRemoveDevice, useTestDevice } from '../../data/notifications.ts'
import { formatDay, formatMoment } from '../../lib/format-time.ts'
import { logError } from '../../lib/log-error.ts'
import { classNames } from '../../ui/class-names.ts'
import { Entry, EntryButton } from '../../ui/entry-list.tsx'
import { unsubscribe } from './push-subscription.ts'
import { TestOutcome } from './test-outcome.tsx'
import { useOwnDevice } from './use-own-device.ts'

/** The browsers to which notifications are pushed. */
export function DeviceList({ settings }: { readonly settings: NotificationSettings }) {
  const { device: own, userId } = useOwnDevice(settings)
  const list = useRef<HTMLUListElement>(null)
  const remove = useRemoveDevice()
  const removeDevice = async (device: PushDevice) => {
    const { done } = await remove.run(device.id)
    if (done && device.id === own?.id)
      await unsubscribe(userId).catch((error: unknown) => logError('The subscription remains', error))
    // The focused button was removed with its row.
    if (done) list.current?.focus()
  }
  return (
    <ul
      ref={list}
      tabIndex={-1}
      aria-label="Browsers with notifications"
      className={classNames(
        'divide-y divide-line outline-none',
        settings.devices.length > 0 && 'border-t border-line',
      )}
    >
      {settings.devices.map((device) => (
        <Device
          key={device.id}
          device={device}
          isOwn={device.id === own?.id}
          onRemove={() => void removeDevice(device)}
        />
      ))}
    </ul>
  )
}

interface DeviceProps {
  readonly device: PushDevice
  readonly isOwn: boolean
  readonly onRemove: () => void
}

function Device({ device, isOwn, onRemove }: DeviceProps) {
  const test = useTestDevice()
  const [outcome, setOutcome] = useState<TestResult>()
  const run = async () => {
    const result = await test.run(device.id)
    if (result.done) setOutcome(result.answer)
  }
  const { label, created_at, used_at } = device
  return (
    <Entry
      stacks
      name={isOwn ? `${label} (this browser)` : label}
      detail={
        <p className="tabular-nums">
          Added <time dateTime={created_at}>{formatDay(new Date(created_at))}</time>
          {used_at !== null && (
            <>
              , last used <time dateTime={used_at}>{formatMoment(new Date(used_at))}</time>
            </>
          )}
        </p>
      }
      actions={
        <>
          <EntryButton busy={test.pending} onClick={() => void run()}>
            Test
          </EntryButton>
          <EntryButton onClick={onRemove}>Remove</EntryButton>
        </>
      }
    >
      <TestOutcome outcome={outcome} />
    </Entry>
  )
}
