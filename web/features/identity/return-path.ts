/** The path of our origin to return to after sign-in; `/` for anything else. */
export function toReturnPath(value: unknown, origin: string): string {
  if (typeof value !== 'string' || !value.startsWith('/')) return '/'
  const url = URL.parse(value, origin)
  if (url === null || url.origin !== origin) return '/'
  const path = url.pathname + url.search + url.hash
  // "/.//host" resolves to our origin, but its path alone would lead to another.
  return /^\/[/\\]/.test(path) ? '/' : path
}
