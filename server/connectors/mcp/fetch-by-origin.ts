import type { GuardedFetch } from '../../http/outgoing/guarded-fetch.ts'

/**
 * Requests to the connector's own origin go where its person said; every other address comes from a server, and less is
 * believed of it.
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
