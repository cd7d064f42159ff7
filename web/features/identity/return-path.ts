/** Returns `value` if it is a path on our origin to return to after sign-in, else `/`. */
export function toReturnPath(value: unknown, origin: string): string {
  if (typeof value !== 'string' || !value.startsWith('/')) return '/'
  const url = URL.parse(value, origin)
  if (url === null || url.origin !== origin) return '/'
  const path = url.pathname + url.search + url.hash
  // "/.//host" resolves to our origin, but to the path "//host", which leads to another origin.
  return /^\/[/\\]/.test(path) ? '/' : path
}
