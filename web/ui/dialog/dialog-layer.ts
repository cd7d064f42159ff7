import { useLayoutEffect, useRef, type MouseEvent, type PointerEvent, type RefObject } from 'react'
import { createStore } from '../../lib/store.ts'
import { moveFocus } from '../focus.ts'

/** The open dialogs, the topmost last. */
const open = createStore<readonly HTMLDialogElement[]>([])

/** The topmost open dialog. Content that must stay visible above a dialog is rendered inside that element. */
export const dialogStack = {
  top: (): HTMLDialogElement | null => open.get().at(-1) ?? null,
  subscribe: open.subscribe,
}

/** The fields of a dialog that the user can fill in. */
export const fields = ':is(input, select, textarea):not(:disabled)'

/**
 * Focuses the first element of the topmost dialog that asks for it by `data-initial-focus`, else its first field; does
 * nothing when there is none.
 */
export function focusInDialog(): void {
  const dialog = dialogStack.top()
  const first =
    dialog?.querySelector<HTMLElement>('[data-initial-focus]:not(:disabled)') ??
    dialog?.querySelector<HTMLElement>(fields)
  moveFocus(() => first?.focus())
}

/** Opens the `<dialog>` of `ref` as a modal while the calling component is mounted. */
export function useModal(ref: RefObject<HTMLDialogElement | null>): void {
  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog === null) return
    moveFocus(() => dialog.showModal())
    open.update((dialogs) => [...dialogs, dialog])
    focusInDialog()
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
