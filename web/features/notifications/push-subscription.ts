import type { NotificationSettings, PushDevice } from '@yonder/contract/notification'
import { notificationsKey } from '../../data/notifications.ts'
import type { ApiClient } from '../../lib/api/api-client.ts'
import { browserStorage } from '../../lib/browser-storage.ts'
import { logError } from '../../lib/log-error.ts'

/** Whether and why this browser can receive pushes. */
export type PushSupport =
  /** `granted` or not asked yet. */
  | 'possible'
  /** The user has refused them for this site, which only the settings of the browser change. */
  | 'denied'
  /** On iOS, only an app on the home screen can. */
  | 'needs_home_screen'
  /** `http` at another address than localhost. */
  | 'needs_https'
  | 'unsupported'

export function findPushSupport(): PushSupport {
  if (!isSecureContext) return 'needs_https'
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis) || !('Notification' in globalThis))
    return isIos() ? 'needs_home_screen' : 'unsupported'
  return Notification.permission === 'denied' ? 'denied' : 'possible'
}

/** An iPad says that it is a Mac, but has a touch screen. */
function isIos(): boolean {
  return (
    /iPhone|iPad|iPod/.test(navigator.userAgent) ||
    (navigator.userAgent.includes('Macintosh') && navigator.maxTouchPoints > 1)
  )
}

/** The hash of the address of the last subscription of this user in this browser; null when it is switched off. */
const keyOf = (userId: string) => `yonder.push:${userId}`
const readHash = (userId: string): string | null => browserStorage.read(keyOf(userId))

/** The device of the user that is this browser. */
export function findOwnDevice({ devices }: NotificationSettings, userId: string): PushDevice | undefined {
  const hash = readHash(userId)
  return devices.find(({ endpoint_hash }) => endpoint_hash === hash)
}

/** The policy for content allows only this one address of a script that a page creates. */
const workerPath = '/sw.js'
let workerAddress: string | undefined

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (text: string) => string },
  ): { createScriptURL(text: string): string }
}

/** Registers the service worker, which shows what is pushed. Doing it again changes nothing. */
export async function registerWorker(): Promise<ServiceWorkerRegistration> {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
  // A policy can be created only once in a page.
  workerAddress ??=
    trustedTypes?.createPolicy('yonder-worker', { createScriptURL: () => workerPath }).createScriptURL('') ??
    workerPath
  return navigator.serviceWorker.register(workerAddress, { updateViaCache: 'none' })
}

/**
 * Asks for the permission, and lets the server push to this browser. Call it in a click: some browsers ask only then.
 * Returns undefined when the user has refused.
 */
export async function subscribe(
  api: ApiClient,
  userId: string,
  pushKey: string,
): Promise<PushDevice | undefined> {
  if ((await Notification.requestPermission()) !== 'granted') return undefined
  const { pushManager } = await registerWorker().then(() => navigator.serviceWorker.ready)
  // A former subscription may be that of another user, or belong to another key.
  await (await pushManager.getSubscription())?.unsubscribe()
  const subscription = await pushManager.subscribe({
    userVisibleOnly: true,
    applicationServerKey: pushKey,
  })
  const device = await api.post<PushDevice>(`${notificationsKey}/devices`, toInput(subscription))
  if (device === undefined) return undefined
  browserStorage.write(keyOf(userId), device.endpoint_hash)
  return device
}

function toInput(subscription: PushSubscription) {
  const { endpoint, keys } = subscription.toJSON()
  return { endpoint, keys }
}

/** Removes the subscription of this browser. The server learns it from the push service, if not from its caller. */
export async function unsubscribe(userId: string): Promise<void> {
  browserStorage.remove(keyOf(userId))
  const registration = await navigator.serviceWorker?.getRegistration()
  await (await registration?.pushManager?.getSubscription())?.unsubscribe()
}

/** The longest time for which signing out waits, in milliseconds. */
const maxWaitMs = 2_000

/** Lets this browser receive nothing of a user who signs out in it. Never rejects. */
export async function leaveBrowser(api: ApiClient, userId: string): Promise<void> {
  if (readHash(userId) === null) return
  try {
    const options = { signal: AbortSignal.timeout(maxWaitMs) }
    const settings = await api.get<NotificationSettings>(notificationsKey, undefined, options)
    const device = settings && findOwnDevice(settings, userId)
    if (device !== undefined) await api.delete(`${notificationsKey}/devices/${device.id}`, undefined, options)
  } catch (error) {
    logError('This browser could not be removed from the notifications', error)
  } finally {
    await unsubscribe(userId).catch(() => undefined)
  }
}

/**
 * Subscribes again when the browser has lost or changed the subscription that the user switched on here, or when the
 * server has another key. Removes it when the user has removed this browser elsewhere.
 */
export async function keepSubscribed(
  api: ApiClient,
  userId: string,
  settings: NotificationSettings,
): Promise<void> {
  const hash = readHash(userId)
  if (hash === null || findPushSupport() !== 'possible' || Notification.permission !== 'granted') return
  const registration = await registerWorker()
  const subscription = await registration.pushManager.getSubscription()
  const isSame =
    subscription !== null &&
    (await hashText(subscription.endpoint)) === hash &&
    toBase64Url(subscription.options.applicationServerKey) === settings.push_key
  if (!isSame) await subscribe(api, userId, settings.push_key)
  else if (findOwnDevice(settings, userId) === undefined) await unsubscribe(userId)
}

async function hashText(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function toBase64Url(buffer: ArrayBuffer | null): string {
  const text = btoa(String.fromCodePoint(...new Uint8Array(buffer ?? new ArrayBuffer(0))))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
