import type { NotificationSettings } from '@yonder/contract/notification'
import { useEffect, useState } from 'react'
import { useSWRConfig } from 'swr'
import { notificationsKey, useRemoveDevice } from '../../data/notifications.ts'
import { readReason } from '../../lib/api/api-error.ts'
import { useApi } from '../../lib/api/api-provider.tsx'
import { logError } from '../../lib/log-error.ts'
import { toast } from '../../lib/toasts.ts'
import { SettingsRow } from '../../ui/form/settings-list.tsx'
import { Switch } from '../../ui/form/switch.tsx'
import { findPushSupport, subscribe, unsubscribe, type PushSupport } from './push-subscription.ts'
import { useOwnDevice } from './use-own-device.ts'

const explanations: Readonly<Record<PushSupport, string>> = {
  possible: 'Also while no tab with Yonder is open.',
  denied:
    'This browser does not allow notifications from Yonder. Allow them beside the address or in the settings of the browser, then reload this page.',
  needs_home_screen:
    'Add Yonder to the home screen first (Share, Add to Home Screen), then switch this on there.',
  needs_https:
    'Browsers receive notifications only from pages with https. Ask the operator of this server for it.',
  unsupported: 'This browser cannot receive notifications.',
}

/** Switches the notifications of this browser on and off. */
export function ThisBrowser({ settings }: { readonly settings: NotificationSettings }) {
  const api = useApi()
  const { mutate } = useSWRConfig()
  const { device, userId } = useOwnDevice(settings)
  const remove = useRemoveDevice()
  const support = usePushSupport()
  const [isBusy, setBusy] = useState(false)

  const switchOn = async () => {
    try {
      await subscribe(api, userId, settings.push_key)
      await mutate(notificationsKey)
    } catch (error) {
      toast.error(`Notifications could not be switched on. ${describeProblem(error)}`)
      logError('This browser could not be subscribed', error)
    }
  }

  const change = async (isOn: boolean) => {
    if (isBusy) return
    setBusy(true)
    if (isOn) await switchOn()
    else if (device !== undefined && (await remove.run(device.id)).done)
      await unsubscribe(userId).catch((error: unknown) => logError('The subscription remains', error))
    setBusy(false)
  }

  return (
    <SettingsRow name="In this browser" meaning={explanations[support]}>
      {(support === 'possible' || device !== undefined) && (
        <Switch
          label="In this browser"
          checked={device !== undefined}
          onChange={(isOn) => void change(isOn)}
        />
      )}
    </SettingsRow>
  )
}

/** The push service of the browser refuses with a `DOMException`, whose text is not for users. */
function describeProblem(error: unknown): string {
  return error instanceof DOMException
    ? 'The push service of this browser could not be reached. Try again later.'
    : readReason(error)
}

/** Also after the user has answered the browser's question, or has changed the answer in its settings. */
function usePushSupport(): PushSupport {
  const [support, setSupport] = useState(findPushSupport)
  useEffect(() => {
    const update = () => setSupport(findPushSupport())
    let status: PermissionStatus | undefined
    navigator.permissions
      ?.query({ name: 'notifications' })
      .then((found) => {
        status = found
        return found.addEventListener('change', update)
      })
      // A browser may not know this permission.
      .catch(() => undefined)
    return () => status?.removeEventListener('change', update)
  }, [])
  return support
}
