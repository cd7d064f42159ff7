// A module without schemas, because the page must not load the library of schemas.

/** Characters of a summary. */
export const maxSummaryChars = 100_000
