/** A sign-in that is over. */
export interface EndedSignIn {
  readonly signIn: string
  /** Whose it was; null where that is not known any more. */
  readonly userId: string | null
}

/** What is known of sign-ins beyond the tokens that they give. */
export interface SignIns {
  /** Names the sign-in of a token that was verified. */
  nameOf(token: string): string | null
  /** Those that ended a short while ago, on whichever node. */
  listEnded(): Promise<readonly string[]>
  /** Calls back as soon as one is ended at this node. */
  onEnd(listener: (ended: EndedSignIn) => void): void
}
