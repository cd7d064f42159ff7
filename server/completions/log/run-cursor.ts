/** A place in the log of a run. */
export interface RunPlace {
  readonly runId: number
  /** The last event before it. */
  readonly after: number
}
