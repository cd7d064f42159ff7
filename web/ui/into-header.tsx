import { useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { headerSlotId } from './header-slot-id.ts'

/** Puts what belongs to a screen into the header over it. */
export function IntoHeader({ children }: { readonly children: ReactNode }) {
  // Read again after the first drawing, when header and screen are drawn together.
  const slot = useSyncExternalStore(subscribeToNothing, findSlot)
  return slot === null ? null : createPortal(children, slot)
}

const subscribeToNothing = () => () => undefined
const findSlot = () => document.getElementById(headerSlotId)
