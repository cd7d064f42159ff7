import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { createStore, useStore } from '../lib/store.ts'

const slot = createStore<HTMLElement | null>(null)

/** The element in the header that the current screen can fill with `IntoHeader`. */
export function HeaderSlot() {
  return <span ref={(place) => slot.set(place)} className="contents" />
}

/** Renders `children` of a screen into the header above that screen. */
export function IntoHeader({ children }: { readonly children: ReactNode }) {
  const place = useStore(slot)
  return place === null ? null : createPortal(children, place)
}
