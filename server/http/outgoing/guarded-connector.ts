import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { isIP, type Socket } from 'node:net'
import { rootCertificates } from 'node:tls'
import { LRUCache } from 'lru-cache'
import { buildConnector } from 'undici'
import { addressRefused, bareHost, isAllowed, isAllowedName, type AddressPolicy } from './address-policy.ts'
import { connectToProxy, findProxy, openTunnel } from './proxies.ts'

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
  /** Milliseconds for which a name is resolved before a proxy is asked for it. A network without DNS does not respond. */
  readonly maxLookupMs?: number
  /**
   * PEM certificates of authorities to accept besides those that come with Node. Without any, Node also accepts those
   * of `NODE_EXTRA_CA_CERTS`.
   */
  readonly authorities?: readonly string[]
}

/** Milliseconds for which a name that could not be resolved is not looked up again. */
const unknownNameMs = 60_000

/**
 * Opens the connections that the policy allows, directly or through a proxy. A literal address is checked here, because no lookup runs for it. A
 * name is refused when any of its addresses is. The socket connects to the checked addresses, and the address of its
 * peer is checked again before the request is sent. A proxy resolves the name again, and decides about one that is unknown here.
 */
export function guardedConnector(
  policy: AddressPolicy,
  options: ConnectorOptions = {},
): buildConnector.connector {
  const { lookup = systemLookup, maxConnectMs = 10_000, maxLookupMs = 2_000, authorities = [] } = options
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

  const unknownNames = new LRUCache<string, true>({ max: 256, ttl: unknownNameMs })

  /** The addresses of a name; null when they are unknown here. Waits no longer than `maxLookupMs`. */
  const resolveName = (host: string): Promise<readonly LookupAddress[] | null> =>
    new Promise((resolve) => {
      if (unknownNames.has(host)) return resolve(null)
      const timer = setTimeout(() => {
        unknownNames.set(host, true)
        resolve(null)
      }, maxLookupMs)
      lookup(host, { all: true }, (error, addresses) => {
        clearTimeout(timer)
        const isKnown = error === null && addresses.length > 0
        if (isKnown) unknownNames.delete(host)
        else unknownNames.set(host, true)
        resolve(isKnown ? addresses : null)
      })
    })

  /** Checks a name that a proxy is asked for. */
  const checkName = async (host: string, port: number): Promise<void> => {
    if (policy.trust === 'operatorSupplied' || isIP(host) !== 0) return
    const addresses = await resolveName(host)
    const isFine =
      addresses === null
        ? isAllowedName(policy, host, port)
        : addresses.every(({ address }) => isAllowed(policy, { host, port, address }))
    if (!isFine) throw addressRefused(policy, host, port)
  }

  return (target, callback) => {
    const host = bareHost(target.hostname)
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80)
    if (isIP(host) !== 0 && !isAllowed(policy, { host, port, address: host })) {
      return callback(addressRefused(policy, host, port), null)
    }
    const proxy = findProxy(policy.proxies, target.protocol, host, port)
    if (proxy !== null) {
      const finish: typeof callback = (...result) => callback(...result)
      connectThrough(proxy).then(
        (socket) => finish(null, socket),
        (error: Error) => finish(error, null),
      )
      return
    }
    dialers.memo(port)(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      if (isAllowed(policy, { host, port, address: socket.remoteAddress ?? '' }))
        return callback(null, socket)
      socket.destroy()
      callback(addressRefused(policy, host, port), null)
    })

    /** Requests over plain http are written for the proxy, so they need no tunnel (`guarded-fetch.ts`). */
    async function connectThrough(proxy: URL): Promise<Socket> {
      await checkName(host, port)
      if (target.protocol !== 'https:') return connectToProxy(proxy, { maxConnectMs, ca })
      const tunnel = await openTunnel(proxy, { maxConnectMs, ca }, host, port)
      return new Promise((resolve, reject) =>
        dialers.memo(port)({ ...target, httpSocket: tunnel }, (...[error, socket]) =>
          error === null ? resolve(socket) : reject(error),
        ),
      )
    }
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
