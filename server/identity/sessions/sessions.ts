/** A session that is over: the user signed out, or its tokens were stolen. */
export interface EndedSession {
  readonly sessionId: string
  /** Null when the user of the session can no longer be found. */
  readonly userId: string | null
}

/** The sign-ins behind access tokens, where the provider reports when one ends. */
export interface Sessions {
  /** The id of the session that issued a verified token; null when the token names none. */
  idOf(token: string): string | null
  /** Ids of the sessions that ended recently, on any node. */
  listEnded(): Promise<readonly string[]>
  /** Calls the listener as soon as a session is ended on this node. */
  onEnd(listener: (ended: EndedSession) => void): void
}
