/** Totals of searches are exact up to this count. Counting further would take longer than finding the page. */
export const maxTotal = 100

export interface FindRequest {
  readonly userId: string
  /** The result of `splitWords`, with at least one word. */
  readonly words: readonly string[]
  readonly offset: number
  readonly limit: number
}

export interface FoundChats {
  /** Newest first. */
  readonly ids: readonly string[]
  /** Exact up to `maxTotal`. */
  readonly total: number
}

/** The passages of a chat are counted up to this number. */
export const maxPassages = 100

/**
 * Characters of the part of a message from which a passage is cut, and from the start of one part to the next one, which
 * repeats at least as many characters as a search may have.
 */
export const partChars = 2_000
export const partStep = 1_400

/** The message of a found chat that has the most of the words; of several, the newest. */
export interface FoundPassage {
  /** Of the message, in the order of writing. */
  readonly position: number
  /** How many messages have as many of the words, up to `maxPassages`. */
  readonly count: number
  /** A part of its text with words. */
  readonly part: string
}

export interface FoundPage extends FoundChats {
  /** By the id of the chat. Chats of which only the title has the words have none. */
  readonly passages: ReadonlyMap<string, FoundPassage>
}

/** Finds the chats of one user that contain every word, in finished messages or in a title of their own. */
export type ChatFinder = (request: FindRequest) => Promise<FoundPage>
