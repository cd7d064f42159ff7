import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { createStore, useStore } from '../lib/store.ts'

const slot = createStore<HTMLElement | null>(null)

/** The element in the header that the current screen can fill with `IntoHeader`. */
export function HeaderSlot() {
  return <span ref={(element) => slot.set(element)} className="contents" />
}

/** Renders `children` of a screen into the header above that screen. */
export function IntoHeader({ children }: { readonly children: ReactNode }) {
  const element = useStore(slot)
  return element === null ? null : createPortal(children, element)
}
