/** Takes for ever on a long text that does not match. */
export const slowPattern = '^(a+)+$'
