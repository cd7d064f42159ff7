import { createContext } from 'react'

/** Whether users may delete their data themselves on this server (`SELF_SERVICE`); undefined until that is known. */
export const SelfServiceContext = createContext<boolean | undefined>(undefined)
