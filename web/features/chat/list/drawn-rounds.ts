import { createContext } from 'react'

/** The elements of the user messages that are rendered now, by message id. A round is a user message with its replies. */
export interface DrawnRounds {
  /** Adds an element; the returned function removes it. */
  readonly add: (messageId: string, element: HTMLElement) => () => void
  readonly find: (messageId: string) => HTMLElement | undefined
  readonly list: () => readonly (readonly [messageId: string, element: HTMLElement])[]
}

export function createDrawnRounds(): DrawnRounds {
  const elements = new Map<string, HTMLElement>()
  return {
    add(messageId, element) {
      elements.set(messageId, element)
      return () => {
        if (elements.get(messageId) === element) elements.delete(messageId)
      }
    },
    find: (messageId) => elements.get(messageId),
    list: () => [...elements],
  }
}

/** Undefined where a chat has no table of contents. */
export const DrawnRoundsContext = createContext<DrawnRounds | undefined>(undefined)
