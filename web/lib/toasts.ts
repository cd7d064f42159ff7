import { createStore, type ReadableStore } from './store.ts'

export interface Toast {
  readonly id: number
  readonly kind: 'success' | 'error'
  readonly text: string
}

/** How long a toast is shown, apart from pauses. */
const toastMs = 5000

const store = createStore<readonly Toast[]>([])
let lastId = 0

/** The toasts on the page, the oldest first. */
export const toasts: ReadableStore<readonly Toast[]> = store

/** Shows a short message at the top right. */
export const toast = {
  success: (text: string): void => show('success', text),
  error: (text: string): void => show('error', text),
}

export function dismissToast(id: number): void {
  clearTimeout(countdowns.get(id)?.timer)
  countdowns.delete(id)
  if (store.get().some((shown) => shown.id === id))
    store.update((shown) => shown.filter((other) => other.id !== id))
}

/** Pauses all countdowns until the returned function is called, for example while the user reads a toast. */
export function pauseToasts(): () => void {
  pauseCount += 1
  if (pauseCount === 1) for (const countdown of countdowns.values()) pause(countdown)
  return () => {
    pauseCount -= 1
    if (pauseCount === 0) for (const [id, countdown] of countdowns) start(id, countdown)
  }
}

interface Countdown {
  remainingMs: number
  /** When the countdown was last started, in milliseconds since 1970. */
  startedAt: number
  timer: ReturnType<typeof setTimeout> | undefined
}

/** By the id of the toast. */
const countdowns = new Map<number, Countdown>()
let pauseCount = 0

function show(kind: Toast['kind'], text: string): void {
  lastId += 1
  const id = lastId
  store.update((shown) => [...shown, { id, kind, text }])
  const countdown: Countdown = { remainingMs: toastMs, startedAt: 0, timer: undefined }
  countdowns.set(id, countdown)
  if (pauseCount === 0) start(id, countdown)
}

function start(id: number, countdown: Countdown): void {
  countdown.startedAt = Date.now()
  countdown.timer = setTimeout(() => dismissToast(id), countdown.remainingMs)
}

function pause(countdown: Countdown): void {
  clearTimeout(countdown.timer)
  countdown.remainingMs -= Date.now() - countdown.startedAt
}
