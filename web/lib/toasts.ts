import { createStore, type ReadableStore } from './store.ts'

export interface Toast {
  readonly id: number
  readonly kind: 'success' | 'error'
  readonly text: string
}

/** How long a toast is shown (§9.1). */
const toastMs = 5000

const store = createStore<readonly Toast[]>([])
let lastId = 0

/** The toasts on the page, the oldest first. `web/ui/toast` shows them. */
export const toasts: ReadableStore<readonly Toast[]> = store

/** Shows a short message at the top right for five seconds (§2.48). */
export const toast = {
  success: (text: string): void => show('success', text),
  error: (text: string): void => show('error', text),
}

export function dismissToast(id: number): void {
  if (store.get().some((shown) => shown.id === id))
    store.update((shown) => shown.filter((other) => other.id !== id))
}

function show(kind: Toast['kind'], text: string): void {
  lastId += 1
  const id = lastId
  store.update((shown) => [...shown, { id, kind, text }])
  setTimeout(() => dismissToast(id), toastMs)
}
