import { createContext } from 'react'

/**
 * Whether everything is drawn at once, as for printing: also what is otherwise drawn in steps, or only near the window.
 */
export const DrawAllContext = createContext(false)
