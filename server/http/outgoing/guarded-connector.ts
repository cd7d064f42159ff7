import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import { rootCertificates } from 'node:tls'
import { LRUCache } from 'lru-cache'
import { buildConnector } from 'undici'
import { addressRefused, bareHost, isAllowed, type AddressPolicy } from './address-policy.ts'

/** Resolves a name to all its addresses, as `dns.lookup` with `all` does. */
export type Lookup = (
  host: string,
  options: { readonly all: true },
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

export interface ConnectorOptions {
  readonly lookup?: Lookup
  /** Milliseconds until a connection must be open, TLS included. */
  readonly maxConnectMs?: number
  /**
   * PEM certificates of authorities to accept besides those that come with Node. Without any, Node also accepts those
   * of `NODE_EXTRA_CA_CERTS`.
   */
  readonly authorities?: readonly string[]
}

/**
 * Opens the connections that the policy allows. A literal address is checked here, because no lookup runs for it. A
 * name is refused when any of its addresses is. The socket connects to the checked addresses, and the address of its
 * peer is checked again before the request is sent.
 */
export function guardedConnector(
  policy: AddressPolicy,
  options: ConnectorOptions = {},
): buildConnector.connector {
  const { lookup = systemLookup, maxConnectMs = 10_000, authorities = [] } = options
  const ca = authorities.length === 0 ? undefined : [...rootCertificates, ...authorities]
  /**
   * One for each port, because the operator allows hosts with ports and a lookup gets the name only. A user can enter
   * addresses with any number of ports.
   */
  const dialers = new LRUCache<number, buildConnector.connector>({
    max: 64,
    memoMethod: (port) =>
      buildConnector({
        timeout: maxConnectMs,
        lookup: checkedLookup(policy, port, lookup),
        ...(ca !== undefined && { ca }),
      }),
  })

  return (target, callback) => {
    const host = bareHost(target.hostname)
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
    if (isIP(host) !== 0 && !isAllowed(policy, { host, port, address: host })) {
      return callback(addressRefused(policy, host, port), null)
    }
    dialers.memo(port)(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      if (isAllowed(policy, { host, port, address: socket.remoteAddress ?? '' }))
        return callback(null, socket)
      socket.destroy()
      callback(addressRefused(policy, host, port), null)
    })
  }
}

type SocketLookup = NonNullable<Extract<buildConnector.BuildOptions, { lookup?: unknown }>['lookup']>

function checkedLookup(policy: AddressPolicy, port: number, lookup: Lookup): SocketLookup {
  return (host, options, callback) => {
    lookup(host, { all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null) return callback(error, '', 0)
      if (
        first === undefined ||
        !addresses.every(({ address }) => isAllowed(policy, { host, port, address }))
      ) {
        return callback(addressRefused(policy, host, port), '', 0)
      }
      if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}
