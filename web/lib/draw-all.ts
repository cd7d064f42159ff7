import { createContext } from 'react'

/**
 * Whether everything is drawn at once, as for printing: also what is otherwise drawn in steps, or only near the window.
 */
export const DrawAllContext = createContext(false)

/** Whether pictures are loaded that are not near the window: a print is prepared. */
export const LoadAllContext = createContext(false)

/** Marks the place of a picture that is not loaded yet. */
export const unloadedAttribute = 'data-unloaded'
