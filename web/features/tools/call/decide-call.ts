/** The arguments with which the user allows a call, in place of those that the model proposed. */
export interface EditedArguments {
  /** JSON text of an object. */
  readonly text: string
  /** Called when the server refuses them, with a sentence that says why. The call still waits then. */
  readonly onRefused: (reason: string) => void
}

/** What happens when the user decides a waiting call. Both are requested once and report a failure themselves. */
export interface CallDecisions {
  readonly allow: (edited?: EditedArguments) => void
  /** Denies this call, but not those after it. `reason` is what the model is told. */
  readonly deny: (reason?: string) => void
}
