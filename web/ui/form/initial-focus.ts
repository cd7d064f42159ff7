import { createContext, useCallback, useContext, useState, type Ref, type RefCallback } from 'react'
import { createFocusList, moveFocus, type FocusList } from '../focus-list.ts'

/** The elements of a dialog that can get the initial focus: one that requests it, else the first field. */
export interface InitialFocus {
  readonly fields: FocusList
  readonly requested: FocusList
  /** Focuses the first enabled element, requested ones before fields; does nothing when there is none. */
  readonly focus: () => void
}

export const InitialFocusContext = createContext<InitialFocus | null>(null)

/** Creates the `InitialFocus` of a dialog. A parent creates it itself to focus the same element again later. */
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
 * Returns the `ref` for an element that can get the initial focus of its dialog: as a `field`, or as `requested`, which
 * has priority over every field. `ref` is the element's other ref, from its parent.
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
