// This module does not import zod, which keeps zod out of the bundle of the browser.

/** Characters of a project's name. */
export const maxProjectNameChars = 100
