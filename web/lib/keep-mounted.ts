import { createContext, use, useEffect } from 'react'

/**
 * For lists that unmount what is far from the window: calling the function keeps the part around a component mounted until
 * the function that it returns is called.
 */
export const KeepMountedContext = createContext<() => () => void>(() => () => undefined)

/** Keeps the surroundings of a component mounted for as long as it is, because the user has written something in it. */
export function useKeepMounted(): void {
  const keep = use(KeepMountedContext)
  useEffect(keep, [keep])
}
