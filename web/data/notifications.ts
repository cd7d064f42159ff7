import type {
  NewWebhook,
  NotificationChange,
  NotificationSettings,
  TestResult,
} from '@yonder/contract/notification'
import useSWR, { useSWRConfig } from 'swr'
import { isNotFound, readReason } from '../lib/api/api-error.ts'
import { useAction } from '../lib/api/use-action.ts'
import { useLiveListOptions } from './named-list.ts'

/** Also the beginning of the paths of all calls about notifications. */
export const notificationsKey = '/api/notifications'

const webhookPath = `${notificationsKey}/webhook`
const devicePath = (id: string) => `${notificationsKey}/devices/${encodeURIComponent(id)}`

/** What the user is told, and where. */
export function useNotificationSettings() {
  return useSWR<NotificationSettings, Error>(notificationsKey, useLiveListOptions())
}

/** Changes what the user is told. It is shown at once, so that a second change is made to the changed settings. */
export function useChangeNotifications() {
  const { mutate } = useSWRConfig()
  return useAction({
    call: (api, change: NotificationChange) => {
      void mutate<NotificationSettings>(
        notificationsKey,
        (settings) => {
          if (settings === undefined) return undefined
          const { kinds = settings.kinds, with_text = settings.with_text } = change
          return { ...settings, kinds, with_text }
        },
        { revalidate: false },
      )
      return api.patch<NotificationSettings>(notificationsKey, change)
    },
    update: (update, settings) => update<NotificationSettings>(notificationsKey, () => settings),
    failure: (error) => `The change could not be saved. ${readReason(error)}`,
    refresh: (mutate) => mutate(notificationsKey),
  })
}

/** Removes a browser. One that was already removed, for example in another tab, counts as a success. */
export function useRemoveDevice() {
  return useAction({
    call: (api, id: string) => api.delete<null>(devicePath(id)).catch(ignoreNotFound),
    update: (update) => update(notificationsKey),
    success: () => 'Notifications do not go to this browser any more',
    failure: (error) => `The browser could not be removed. ${readReason(error)}`,
    refresh: (mutate) => mutate(notificationsKey),
  })
}

/** Sends a test notification to a browser, and returns what became of it. */
export function useTestDevice() {
  return useAction({
    call: (api, id: string) => api.post<TestResult>(`${devicePath(id)}/test`),
    update: (update) => update(notificationsKey),
    failure: (error) => `The test could not be sent. ${readReason(error)}`,
    refresh: (mutate) => mutate(notificationsKey),
  })
}

/** Stores the address of the webhook, and returns its secret, which no other call returns. */
export function useSaveWebhook() {
  return useAction({
    call: (api, url: string) => api.put<NewWebhook>(webhookPath, { url }),
    update: (update) => update(notificationsKey),
    failure: (error) => `The webhook could not be saved. ${readReason(error)}`,
    isFailureShown: false,
  })
}

export function useRemoveWebhook() {
  return useAction({
    call: (api, _nothing: void) => api.delete<null>(webhookPath).catch(ignoreNotFound),
    update: (update) => update(notificationsKey),
    success: () => 'Webhook removed',
    failure: (error) => `The webhook could not be removed. ${readReason(error)}`,
    refresh: (mutate) => mutate(notificationsKey),
  })
}

/** Sends a test notification to the webhook, and returns what became of it. */
export function useTestWebhook() {
  return useAction({
    call: (api, _nothing: void) => api.post<TestResult>(`${webhookPath}/test`),
    update: (update) => update(notificationsKey),
    failure: (error) => `The test could not be sent. ${readReason(error)}`,
    refresh: (mutate) => mutate(notificationsKey),
  })
}

function ignoreNotFound(error: unknown): null {
  if (isNotFound(error)) return null
  throw error
}
