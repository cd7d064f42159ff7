import { createContext, useContext } from 'react'

export const MenuContext = createContext<() => void>(() => undefined)

/** Closes the menu that the calling item stands in. */
export function useMenuClose(): () => void {
  return useContext(MenuContext)
}
