// This module does not import zod, which keeps zod out of the bundle of the browser.

/** How long a call waits for a decision, in milliseconds. After that it counts as denied. */
export const callExpiryMs = 24 * 60 * 60 * 1_000

/** The longest reason for a denial, in characters. */
export const maxReasonChars = 2_000
