import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'

/**
 * Returns a fetch that uses the guard for user-supplied addresses for requests to the connector's own origin, and the
 * guard for server-supplied addresses, which trusts less, for all others.
 */
export function fetchByOrigin(
  url: URL,
  guards: Readonly<Record<'userSupplied' | 'serverSupplied', GuardedFetch>>,
): GuardedFetch['fetch'] {
  return (input, init) => {
    const requestUrl = new URL(input instanceof Request ? input.url : input)
    return guards[requestUrl.origin === url.origin ? 'userSupplied' : 'serverSupplied'].fetch(input, init)
  }
}
