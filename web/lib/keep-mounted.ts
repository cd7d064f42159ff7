import { createContext, use, useEffect } from 'react'

/**
 * For lists that unmount items far from the window. Calling the function keeps the item around a component mounted
 * until the returned function is called.
 */
export const KeepMountedContext = createContext<() => () => void>(() => () => undefined)

/**
 * Keeps the list item around a component mounted while `isNeeded`, because the component has a state that must not be
 * lost, such as a text that the user has written.
 */
export function useKeepMounted(isNeeded = true): void {
  const keep = use(KeepMountedContext)
  useEffect(() => (isNeeded ? keep() : undefined), [keep, isNeeded])
}
