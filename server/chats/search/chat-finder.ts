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

/** Finds the chats of one user that contain every word in finished messages. */
export type ChatFinder = (request: FindRequest) => Promise<FoundChats>
