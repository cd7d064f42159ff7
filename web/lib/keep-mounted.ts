import { createContext, use, useEffect } from 'react'

/**
 * For lists that unmount items far from the window. Calling the function keeps the item around a component mounted until
 * the returned function is called.
 */
export const KeepMountedContext = createContext<() => () => void>(() => () => undefined)

/** Keeps the list item around a component mounted, because the user may have written something in the component. */
export function useKeepMounted(): void {
  const keep = use(KeepMountedContext)
  useEffect(keep, [keep])
}
