import { CircleAlert, CircleCheck, X } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { RefObject } from 'react'
import { createPortal } from 'react-dom'
import { classNames } from '../class-names.ts'
import { dialogStack } from '../dialog/dialog-layer.ts'
import { useStore } from '../../lib/store.ts'
import { dismissToast, pauseToasts, toasts, type Toast } from '../../lib/toasts.ts'

/** How long a new live region stays empty: screen readers announce only what changes in it. */
const settleMs = 100
const noToasts: readonly Toast[] = []

/** Where toasts appear. While a dialog is open everything outside is inert, so the region moves into the topmost dialog. */
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
  useMoveBelowFocus(region)
  const cardsOf = (kind: Toast['kind']) =>
    shown.filter((toast) => toast.kind === kind).map((toast) => <ToastCard key={toast.id} toast={toast} />)
  return (
    <div
      ref={region}
      className="pointer-events-none fixed top-header-end right-3 z-50 mt-2 flex w-80 max-w-floating flex-col sm:right-4"
    >
      <output aria-label="Messages" className="flex flex-col">
        {cardsOf('success')}
      </output>
      <div role="alert" aria-label="Errors" className="flex flex-col">
        {cardsOf('error')}
      </div>
    </div>
  )
}

/** A toast, whose timer is paused while the pointer or the focus is on the toast. */
function ToastCard({ toast }: { readonly toast: Toast }) {
  const [isHovered, setHovered] = useState(false)
  const [isFocused, setFocused] = useState(false)
  usePause(isHovered || isFocused)
  const Icon = toast.kind === 'success' ? CircleCheck : CircleAlert
  return (
    <div
      // A toast that appears below a resting pointer is not being read, so it must not stay.
      onPointerMove={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
      className="pointer-events-auto mb-2 flex animate-rise items-start gap-2.5 rounded-card bg-surface py-2.5 pr-1.5 pl-3.5 text-sm text-ink shadow-float"
    >
      <Icon
        size={18}
        aria-hidden
        className={classNames('mt-1 shrink-0', toast.kind === 'success' ? 'text-success' : 'text-danger')}
      />
      <p className="min-w-0 flex-1 py-1 wrap-anywhere">{toast.text}</p>
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

/** The space between a toast and the control below which it appears. */
const gapPx = 8

/** Keeps toasts off the focused control (§9.17). */
function useMoveBelowFocus(region: RefObject<HTMLElement | null>): void {
  // After every render, because toasts come and go.
  useLayoutEffect(() => moveBelowFocus(region.current))
  useEffect(() => {
    const place = () => moveBelowFocus(region.current)
    document.addEventListener('focusin', place)
    return () => document.removeEventListener('focusin', place)
  }, [region])
}

/** Places the region below the focused control if its toasts would cover the control. */
function moveBelowFocus(region: HTMLElement | null): void {
  const focused = document.activeElement
  if (region === null || focused === null || region.contains(focused)) return
  region.style.removeProperty('translate')
  const toasts = region.getBoundingClientRect()
  const control = focused.getBoundingClientRect()
  const covers =
    toasts.height > 0 &&
    control.right > toasts.left &&
    control.left < toasts.right &&
    control.bottom > toasts.top &&
    control.top < toasts.bottom
  const offset = control.bottom + gapPx - toasts.top
  // The page itself, or a long text, leaves no space below it.
  const fits = toasts.bottom + offset <= window.innerHeight
  if (covers && fits) region.style.setProperty('translate', `0 ${offset}px`)
}

function usePause(isPaused: boolean): void {
  useEffect(() => (isPaused ? pauseToasts() : undefined), [isPaused])
}

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}
