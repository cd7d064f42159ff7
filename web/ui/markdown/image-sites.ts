import { createContext } from 'react'

/** The sites whose images a person wants to see without being asked. */
export interface ImageSites {
  readonly has: (site: string) => boolean
  /** Absent where nothing can be remembered, for instance for a visitor. */
  readonly allow?: (site: string) => void
}

export const ImageSitesContext = createContext<ImageSites>({ has: () => false })
