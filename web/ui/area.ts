import { createContext, use } from 'react'
import { useMediaQuery } from '../lib/use-media-query.ts'

/** The width in pixels of what stands left of the area in which a screen is shown. */
export const BesideAreaContext = createContext(0)

/** Whether the area is at least `rem` wide. It is the window without what stands left of it. */
export function useAreaIsAtLeast(rem: number): boolean {
  const beside = use(BesideAreaContext)
  return useMediaQuery(`(min-width: ${beside === 0 ? `${rem}rem` : `calc(${rem}rem + ${beside}px)`})`)
}
