/** What one request to Google may take. Times are milliseconds, sizes bytes. */
export interface GoogleLimits {
  /** Further attempts after a first one that failed in passing. */
  readonly retries: number
  /** Before the first further attempt; each next one waits twice as long. */
  readonly retryDelay: number
  /** The longest wait that Google may ask for; whoever has to wait longer is told so. */
  readonly longestDelay: number
  /** One attempt. */
  readonly attempt: number
  /** From the first attempt to the beginning of the last one. */
  readonly retryWithin: number
  readonly answerBytes: number
}

export const googleLimits: GoogleLimits = {
  retries: 3,
  retryDelay: 500,
  longestDelay: 8_000,
  attempt: 10_000,
  retryWithin: 12_000,
  answerBytes: 16 * 1_024 * 1_024,
}
