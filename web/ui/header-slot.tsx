import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { createStore, useStore } from '../lib/store.ts'

const slot = createStore<HTMLElement | null>(null)

/** The place in the header that the current screen may fill with `IntoHeader`. */
export function HeaderSlot() {
  return <span ref={(place) => slot.set(place)} className="contents" />
}

/** Shows `children`, which belong to a screen, in the header above it. */
export function IntoHeader({ children }: { readonly children: ReactNode }) {
  const place = useStore(slot)
  return place === null ? null : createPortal(children, place)
}
