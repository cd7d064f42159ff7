import { createContext } from 'react'

/** Whether more text may come for the block that is being drawn. */
export const BlockOpen = createContext(false)
