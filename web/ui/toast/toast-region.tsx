import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState, useSyncExternalStore } from 'react'
import { createPortal } from 'react-dom'
import { useStore } from '../../lib/store.ts'
import { dismissToast, pauseToasts, toasts, type Toast } from '../../lib/toasts.ts'
import { Button } from '../button/button.tsx'
import { classNames } from '../class-names.ts'
import { dialogStack } from '../dialog/dialog-layer.ts'
import { matchesShortcut } from '../shortcut/shortcut.ts'
import { useStayClear } from './stay-clear.ts'

/** How long a new live region stays empty: screen readers announce only what changes in it. */
const settleMs = 100
const noToasts: readonly Toast[] = []

/**
 * Where toasts appear. While a dialog is open everything outside is inert, so the region moves into the topmost dialog.
 */
export function ToastRegion() {
  const dialog = useSyncExternalStore(dialogStack.subscribe, dialogStack.top)
  const isHidden = useSyncExternalStore(subscribeToVisibility, () => document.hidden)
  usePause(isHidden)
  return createPortal(<Region />, dialog ?? document.body)
}

function Region() {
  const current = useStore(toasts)
  const [settled, setSettled] = useState(false)
  const region = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), settleMs)
    return () => clearTimeout(timer)
  }, [])
  const shown = settled ? current : noToasts
  useStayClear(region, shown.length > 0)
  const cardsOf = (kind: Toast['kind']) =>
    shown.filter((toast) => toast.kind === kind).map((toast) => <ToastCard key={toast.id} toast={toast} />)
  return (
    <div
      ref={region}
      // With reduced motion every change has a transition of 1 ms, in which the measured place would still be the old
      // one.
      className="pointer-events-none fixed top-2 right-3 z-50 flex sm:top-header-end sm:mt-2 w-80 max-w-floating flex-col transition-none sm:right-4"
    >
      <output aria-label="Messages" className="flex flex-col">
        {cardsOf('success')}
        {cardsOf('undo')}
      </output>
      <div role="alert" aria-label="Errors" className="flex flex-col">
        {cardsOf('error')}
      </div>
    </div>
  )
}

const kinds = {
  success: { Icon: CircleCheck, look: 'text-success' },
  error: { Icon: CircleAlert, look: 'text-danger' },
  undo: { Icon: CircleCheck, look: 'text-muted' },
} as const

/** The keys that undo typing also undo what the newest notice offers to undo, except where a text is being written. */
function useUndoKeys(toast: Toast): void {
  const undo = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || !matchesShortcut(event, 'mod+z') || isEditable(event.target)) return
    if (toasts.get().findLast(({ kind }) => kind === 'undo')?.id !== toast.id) return
    event.preventDefault()
    dismissToast(toast.id)
    toast.action?.run()
  })
  useEffect(() => {
    if (toast.kind !== 'undo') return
    const handleKey = (event: KeyboardEvent) => undo(event)
    window.addEventListener('keydown', handleKey)
    return () => window.removeEventListener('keydown', handleKey)
  }, [toast.kind])
}

/** An empty text has nothing to undo. */
const isEditable = (target: EventTarget | null): boolean =>
  (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) && target.value !== ''

/** A toast. While the pointer or the focus is on it, all toasts stay. */
function ToastCard({ toast }: { readonly toast: Toast }) {
  const [isHovered, setHovered] = useState(false)
  const [isFocused, setFocused] = useState(false)
  usePause(isHovered || isFocused)
  useUndoKeys(toast)
  const { Icon, look } = kinds[toast.kind]
  return (
    <div
      // A toast that appears below a resting pointer is not being read, so it must not stay.
      onPointerMove={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      className="pointer-events-auto mb-2 flex animate-rise items-start gap-2.5 rounded-card bg-surface py-2.5 pr-1.5 pl-3.5 text-sm text-ink shadow-float"
    >
      <Icon size={18} aria-hidden className={classNames('mt-1 shrink-0', look)} />
      {/* An action with a long label stands below the text, which would otherwise be a narrow column beside it. */}
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2.5 gap-y-1">
        <p className="min-w-0 flex-1 basis-36 py-1 wrap-anywhere">{toast.text}</p>
        {toast.action !== undefined && (
          <Button
            size="small"
            onClick={() => {
              dismissToast(toast.id)
              toast.action?.run()
            }}
          >
            {toast.action.label}
          </Button>
        )}
      </div>
      <button
        type="button"
        aria-label="Dismiss"
        onClick={() => dismissToast(toast.id)}
        className="touch-target inline-flex size-7 shrink-0 items-center justify-center rounded-control text-muted transition-colors hover:bg-hover hover:text-ink"
      >
        <X size={15} aria-hidden />
      </button>
    </div>
  )
}

function usePause(isPaused: boolean): void {
  useEffect(() => (isPaused ? pauseToasts() : undefined), [isPaused])
}

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}
