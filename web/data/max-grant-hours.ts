import { createContext } from 'react'

/** For how long users may allow a tool at most, in hours (`MAX_GRANT_HOURS`). */
export const MaxGrantHoursContext = createContext(Infinity)
