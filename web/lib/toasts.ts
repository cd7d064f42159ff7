import { createStore, type ReadableStore } from './store.ts'

export interface ToastAction {
  readonly label: string
  readonly run: () => void
}

export interface Toast {
  readonly id: number
  readonly kind: 'success' | 'error' | 'undo'
  readonly text: string
  /** What the user may do now. */
  readonly action?: ToastAction | undefined
  /** In the time of the toasts, which stands still in a pause. */
  readonly endsAt: number
}

/** How long a toast is shown, apart from pauses; one that offers to undo something stays longer. */
const toastMs = 5000
const undoMs = 10_000

const store = createStore<readonly Toast[]>([])
let lastId = 0

/** The toasts on the page, the oldest first. */
export const toasts: ReadableStore<readonly Toast[]> = store

/** Shows a short message at the top right. */
export const toast = {
  success: (text: string, action?: ToastAction): void => show('success', text, action),
  error: (text: string, action?: ToastAction): void => show('error', text, action),
  /** Says what was done, and undoes it at a press of its button or the usual keys. */
  undo: (text: string, run: () => void): void => show('undo', text, { label: 'Undo', run }),
}

export const dismissToast = (id: number): void => keep((other) => other.id !== id)

/** Pauses the time of all toasts until the returned function is called, for example while the user reads a toast. */
export function pauseToasts(): () => void {
  if (pauseCount === 0) pausedAt = Date.now()
  pauseCount += 1
  schedule()
  return () => {
    pauseCount -= 1
    if (pauseCount === 0) pausedMs += Date.now() - pausedAt
    schedule()
  }
}

let pauseCount = 0
/** When the current pause began, and how long the earlier ones lasted together, in milliseconds. */
let pausedAt = 0
let pausedMs = 0
let timer: ReturnType<typeof setTimeout> | undefined

/** The time of the toasts, which stands still in a pause. */
const now = () => (pauseCount > 0 ? pausedAt : Date.now()) - pausedMs

function show(kind: Toast['kind'], text: string, action?: ToastAction): void {
  lastId += 1
  store.update((shown) => [
    ...shown,
    { id: lastId, kind, text, action, endsAt: now() + (kind === 'undo' ? undoMs : toastMs) },
  ])
  schedule()
}

function keep(isKept: (toast: Toast) => boolean): void {
  store.update((shown) => shown.filter(isKept))
  schedule()
}

/** Waits for the end of the toast that is the next to end. */
function schedule(): void {
  clearTimeout(timer)
  const next = Math.min(...store.get().map(({ endsAt }) => endsAt))
  if (next < Infinity && pauseCount === 0)
    timer = setTimeout(() => keep(({ endsAt }) => endsAt > now()), next - now())
}
