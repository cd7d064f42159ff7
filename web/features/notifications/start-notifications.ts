import { presenceMs } from '@yonder/contract/lib/notices'
import type { NotificationSettings } from '@yonder/contract/notification'
import { notificationsKey } from '../../data/notifications.ts'
import type { ApiClient } from '../../lib/api/api-client.ts'
import { logError } from '../../lib/log-error.ts'
import { toast } from '../../lib/toasts.ts'
import { findOwnDevice, keepSubscribed, registerWorker } from './push-subscription.ts'
import { followRuns, wordsOf, type PageNotice } from './told-runs.ts'

export interface NotificationOptions {
  readonly api: ApiClient
  readonly userId: string
  /** Shows a chat. */
  readonly navigate: (path: string) => void
  /** Stops all of it. */
  readonly signal: AbortSignal
}

/**
 * Tells the user what happens in chats that the page does not show: with a toast while the page is visible, else with a
 * notification of the browser, unless the server pushes one to it. Tells the server that the page is visible, if it
 * would push something.
 */
export function startNotifications({ api, userId, navigate, signal }: NotificationOptions): void {
  if (signal.aborted) return
  let settings: NotificationSettings | undefined

  const presence = createPresence(api)
  const lead = holdLock(`yonder.notices:${userId}`, signal)
  const visibleLock = `yonder.visible:${userId}`
  let hide = new AbortController()

  async function readSettings(): Promise<void> {
    try {
      settings = await api.get<NotificationSettings>(notificationsKey)
    } catch (error) {
      logError('The settings of notifications could not be read', error)
    }
    if (settings === undefined || signal.aborted) return
    presence.setWanted(settings.devices.length > 0 || settings.webhook !== null)
  }

  function onVisibility(): void {
    hide.abort()
    hide = new AbortController()
    // The other pages of this browser see by the lock that the user looks at this one.
    if (!document.hidden) holdLock(visibleLock, AbortSignal.any([signal, hide.signal]), 'shared')
    presence.setVisible(!document.hidden)
  }

  async function tell(notice: PageNotice): Promise<void> {
    if (settings?.kinds.includes(notice.kind) === false) return
    const path = `/chat/${notice.chatId}`
    const isShown = [path, `/chats/${notice.chatId}`].includes(location.pathname)
    if (!document.hidden) {
      const open = { label: 'Open', run: () => navigate(path) }
      const show = notice.kind === 'reply_failed' ? toast.error : toast.success
      if (!isShown) show(wordsOf(notice, true), open)
      return
    }
    if (settings === undefined || !lead.isHeld() || findOwnDevice(settings, userId) !== undefined) return
    if (await isHeldByAny(visibleLock)) return
    await showNotification(wordsOf(notice, settings.with_text), notice.chatId, () => navigate(path))
  }

  function onWorkerMessage({ data }: MessageEvent<{ readonly type?: string; readonly url?: string }>): void {
    if (data.type === 'yonder.open' && data.url !== undefined) {
      const { origin, pathname, search } = new URL(data.url)
      if (origin === location.origin) navigate(pathname + search)
    }
    if (data.type === 'yonder.subscribe') void resubscribe()
  }

  async function resubscribe(): Promise<void> {
    if (settings === undefined) return
    await keepSubscribed(api, userId, settings).catch((error: unknown) =>
      logError('This browser could not be subscribed again', error),
    )
  }

  const follow = followRuns((notice) => void tell(notice))
  const unsubscribe = api.live.subscribe((event) => {
    follow(event)
    if (event.type === 'changed' && event.what === 'notifications') void readSettings()
  })
  document.addEventListener('visibilitychange', onVisibility, { signal })
  navigator.serviceWorker?.addEventListener('message', onWorkerMessage, { signal })
  navigator.serviceWorker?.startMessages()
  onVisibility()
  void readSettings().then(resubscribe)
  // An installed app opens what is pushed itself.
  if (matchMedia('(display-mode: standalone)').matches && 'serviceWorker' in navigator)
    registerWorker().catch((error: unknown) => logError('The service worker could not be registered', error))
  signal.addEventListener('abort', () => {
    unsubscribe()
    presence.stop()
  })
}

/** Tells the server about this tab: while it is visible, again and again, and when it is hidden. */
function createPresence(api: ApiClient) {
  const tab = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(36)).join('')
  let isWanted = false
  let isVisible = false
  let timer: ReturnType<typeof setInterval> | undefined
  const send = (visible: boolean): void => {
    const request = { method: 'PUT', body: { tab, visible }, keepalive: true } as const
    // The next one comes soon, and without any, the server only pushes more.
    api.request(`${notificationsKey}/presence`, request).catch(() => undefined)
  }
  const update = (): void => {
    const isOn = isWanted && isVisible
    if (isOn === (timer !== undefined)) return
    send(isOn)
    clearInterval(timer)
    timer = isOn ? setInterval(() => send(true), presenceMs) : undefined
  }
  return {
    setWanted(wanted: boolean): void {
      isWanted = wanted
      update()
    },
    setVisible(visible: boolean): void {
      isVisible = visible
      update()
    },
    /** Without a word to the server, because the user may have signed out. */
    stop: () => clearInterval(timer),
  }
}

/** Holds a lock of this browser until the signal is aborted, as soon as no other page does. */
function holdLock(name: string, signal: AbortSignal, mode: LockMode = 'exclusive') {
  let held = false
  const untilAborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  const locks = navigator.locks as LockManager | undefined
  locks
    ?.request(name, { mode, signal }, () => {
      held = true
      return untilAborted
    })
    // Aborted while it waited.
    .catch(() => undefined)
  // Without locks, every page is the only one.
  return { isHeld: () => held || locks === undefined }
}

async function isHeldByAny(name: string): Promise<boolean> {
  const locks = navigator.locks as LockManager | undefined
  return (await locks?.query())?.held?.some((lock) => lock.name === name) ?? false
}

async function showNotification(title: string, tag: string, onClick: () => void): Promise<void> {
  if (!('Notification' in globalThis) || Notification.permission !== 'granted') return
  // As in `sw.js`.
  const options = { tag, renotify: true, icon: '/icon-192.png' }
  try {
    const notification = new Notification(title, options)
    notification.addEventListener('click', () => {
      window.focus()
      notification.close()
      onClick()
    })
  } catch {
    // On phones only a service worker can show one.
    const registration = await navigator.serviceWorker?.getRegistration()
    const data = { url: `${location.origin}/chat/${encodeURIComponent(tag)}` }
    await registration?.showNotification(title, { ...options, data })
  }
}
