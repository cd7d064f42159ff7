/** A path of our own origin to come back to after sign-in; anything else leads home. */
export function toReturnPath(value: unknown, origin: string): string {
  if (typeof value !== 'string' || !value.startsWith('/')) return '/'
  const url = URL.parse(value, origin)
  if (url === null || url.origin !== origin) return '/'
  const path = url.pathname + url.search + url.hash
  // "/.//host" resolves to our origin, but its path alone would be read as another's.
  return /^\/[/\\]/.test(path) ? '/' : path
}
