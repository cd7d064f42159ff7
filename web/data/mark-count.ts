import { createContext } from 'react'

/** How many chats are unread or wait for approval. A module of its own, so that the first page does not load the lists. */
export const MarkCountContext = createContext(0)
