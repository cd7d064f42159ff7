/** How far a total counts. */
export const mostCounted = 1_000

export interface FindRequest {
  readonly userId: string
  /** As `splitWords` gives them: at least one. */
  readonly words: readonly string[]
  readonly offset: number
  readonly limit: number
}

export interface FoundChats {
  /** Newest first. */
  readonly ids: readonly string[]
  /** Exact up to 1,000. */
  readonly total: number
}

/** Finds the chats of one person in which every word occurs, in a finished message. */
export type ChatFinder = (request: FindRequest) => Promise<FoundChats>
