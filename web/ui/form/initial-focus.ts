import { createContext, useCallback, useContext, useState, type Ref, type RefCallback } from 'react'
import { createFocusList, moveFocus, type FocusList } from '../focus-list.ts'

/** Knows where the focus of a dialog starts: at the element that asks for it, else at the first field. */
export interface InitialFocus {
  readonly fields: FocusList
  readonly requested: FocusList
  /** Moves the focus there; does nothing when there is neither. */
  readonly focus: () => void
}

export const InitialFocusContext = createContext<InitialFocus | null>(null)

/** Creates the initial focus of a dialog, for an owner that moves the focus there again while the dialog is open. */
export function useInitialFocus(): InitialFocus {
  return useState(createInitialFocus)[0]
}

function createInitialFocus(): InitialFocus {
  const fields = createFocusList()
  const requested = createFocusList()
  return {
    fields,
    requested,
    focus: () => {
      const first = [...requested.list(), ...fields.list()].find(isEnabled)
      moveFocus(() => first?.focus())
    },
  }
}

function isEnabled(element: HTMLElement): boolean {
  return !('disabled' in element) || element.disabled !== true
}

/**
 * Returns the `ref` of an element of a dialog that may get the initial focus: as a `field`, or as `requested`, which
 * comes before every field. `ref` is the one that the element's owner passes.
 */
export function useInitialFocusRef<E extends HTMLElement>(
  role: 'field' | 'requested' | undefined,
  ref?: Ref<E>,
): RefCallback<E> {
  const initial = useContext(InitialFocusContext)
  return useCallback(
    (element) => {
      const list = role === undefined ? undefined : initial?.[role === 'field' ? 'fields' : 'requested']
      const remove = list?.add(element)
      const detach = attach(ref, element)
      return () => {
        remove?.()
        detach()
      }
    },
    [initial, role, ref],
  )
}

function attach<E>(ref: Ref<E> | undefined, element: E | null): () => void {
  if (typeof ref === 'function') {
    const cleanUp = ref(element)
    return typeof cleanUp === 'function' ? cleanUp : () => void ref(null)
  }
  if (ref === null || ref === undefined) return () => undefined
  ref.current = element
  return () => {
    ref.current = null
  }
}
