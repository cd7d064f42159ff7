import { useLayoutEffect, useRef, type MouseEvent, type PointerEvent, type RefObject } from 'react'
import { createStore } from '../../lib/store.ts'
import { moveFocus } from '../focus-list.ts'

/** The open dialogs, lowest first. */
const open = createStore<readonly HTMLDialogElement[]>([])

/** Which dialogs are open. What must be visible above everything is rendered inside the top one. */
export const dialogStack = {
  top: (): HTMLDialogElement | null => open.get().at(-1) ?? null,
  subscribe: open.subscribe,
}

/** Opens the `<dialog>` of `ref` as a modal while the calling component is mounted; `onOpen` then moves the focus. */
export function useModal(ref: RefObject<HTMLDialogElement | null>, onOpen: () => void): void {
  const opened = useRef(onOpen)
  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog === null) return
    moveFocus(() => dialog.showModal())
    open.update((dialogs) => [...dialogs, dialog])
    opened.current()
    return () => {
      open.update((dialogs) => dialogs.filter((other) => other !== dialog))
      // Before React removes it: the browser returns the focus only on close.
      moveFocus(() => dialog.close())
    }
  }, [ref])
}

/**
 * Returns the handlers of a dialog that calls `onClick` for a click on its backdrop, which is the dialog element itself.
 * The browser also sends it the click of a text selection that ends there, so the press must have begun on it too.
 */
export function useBackdropClick(onClick: () => void) {
  const began = useRef(false)
  return {
    onPointerDown: (event: PointerEvent) => {
      began.current = event.target === event.currentTarget
    },
    onClick: (event: MouseEvent) => {
      if (began.current && event.target === event.currentTarget) onClick()
    },
  }
}
