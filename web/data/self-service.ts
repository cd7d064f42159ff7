import { createContext } from 'react'

/** Whether users may delete their data themselves on this server (`SELF_SERVICE`). */
export const SelfServiceContext = createContext(false)
