// This module does not import zod, which keeps zod out of the bundle of the browser.

/** Characters of a summary. */
export const maxSummaryChars = 100_000
