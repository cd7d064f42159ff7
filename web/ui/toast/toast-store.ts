export interface Toast {
  readonly id: number
  readonly kind: 'success' | 'error'
  readonly text: string
}

/** Milliseconds that a toast is shown (§9.1). */
const lifetime = 5000

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()

export const toastStore = {
  list: (): readonly Toast[] => toasts,
  add: (kind: Toast['kind'], text: string): void => {
    const toast = { id: ++lastId, kind, text }
    change([...toasts, toast])
    setTimeout(() => toastStore.dismiss(toast.id), lifetime)
  },
  dismiss: (id: number): void => {
    if (toasts.some((toast) => toast.id === id)) change(toasts.filter((toast) => toast.id !== id))
  },
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

function change(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}
