import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'

/**
 * Guards requests to the connector's own origin as an address that the user entered, and every other address as one
 * that a server named, which is trusted less.
 */
export function fetchByOrigin(
  url: URL,
  guards: Readonly<Record<'userSupplied' | 'serverSupplied', GuardedFetch>>,
): GuardedFetch['fetch'] {
  return (input, init) => {
    const address = new URL(input instanceof Request ? input.url : input)
    return guards[address.origin === url.origin ? 'userSupplied' : 'serverSupplied'].fetch(input, init)
  }
}
