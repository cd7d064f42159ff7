import { useLayoutEffect, useRef, type MouseEvent, type PointerEvent, type RefObject } from 'react'
import { createStore } from '../../lib/store.ts'
import { moveFocus } from '../focus-list.ts'

/** The open dialogs, the topmost last. */
const open = createStore<readonly HTMLDialogElement[]>([])

/** The topmost open dialog. Content that must stay visible above a dialog is rendered inside that element. */
export const dialogStack = {
  top: (): HTMLDialogElement | null => open.get().at(-1) ?? null,
  subscribe: open.subscribe,
}

/** Opens the `<dialog>` of `ref` as a modal while the calling component is mounted; `onOpen` then moves the focus. */
export function useModal(ref: RefObject<HTMLDialogElement | null>, onOpen: () => void): void {
  const handleOpen = useRef(onOpen)
  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog === null) return
    moveFocus(() => dialog.showModal())
    open.update((dialogs) => [...dialogs, dialog])
    handleOpen.current()
    return () => {
      open.update((dialogs) => dialogs.filter((other) => other !== dialog))
      // Close the dialog before React removes it: only then does the browser return the focus.
      moveFocus(() => dialog.close())
    }
  }, [ref])
}

/**
 * Returns event handlers for a dialog that call `onClick` for a click on its backdrop, which is the dialog element
 * itself. Selecting text and releasing the pointer over the backdrop also fires a click there, so the press must begin
 * there too.
 */
export function useBackdropClick(onClick: () => void) {
  const pressBegan = useRef(false)
  return {
    onPointerDown: (event: PointerEvent) => {
      pressBegan.current = event.target === event.currentTarget
    },
    onClick: (event: MouseEvent) => {
      if (pressBegan.current && event.target === event.currentTarget) onClick()
    },
  }
}
