/** The `code` of a system or driver error such as `ENOENT` or `23505`; empty when it has none. */
export function errorCode(error: unknown): string {
  const code: unknown = typeof error === 'object' && error !== null && 'code' in error ? error.code : ''
  return typeof code === 'string' ? code : ''
}
