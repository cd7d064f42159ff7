import { BlockList, isIPv4, isIPv6 } from 'node:net'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/** Who sent a request. Every address is as `canonicalAddress` returns it; an unknown one is empty. */
export interface Client {
  /** The address that counts for limits and logs: the peer's, or the one that trusted proxies name. */
  readonly address: string
  /** The other end of the connection: the client, or the proxy nearest to this server. */
  readonly peer: string
  /** Whether the peer may name another address. */
  readonly isPeerTrusted: boolean
}

const known = Symbol('client')

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent the request. Fastify's `ip` has other spellings of the same address, and knows no proxy. */
    readonly client: Client
    [known]: Client | null
  }
}

/**
 * Adds `client` to every request. Must be registered before everything that reads it.
 *
 * @param trustedProxies addresses, networks as `10.0.0.0/8`, and `loopback`, `linklocal` or `uniquelocal`
 */
export function registerClientAddresses(app: FastifyInstance, trustedProxies: readonly string[]): void {
  const isTrusted = createTrust(trustedProxies)
  app.decorateRequest(known, null)
  app.decorateRequest('client', {
    getter(this: FastifyRequest) {
      return (this[known] ??= findClient(this, isTrusted))
    },
  })
  app.addHook('onRequest', (request, _reply, done) => {
    // A connection that has ended no longer knows its address, which the log still needs.
    void request.client
    done()
  })
}

/**
 * Walks `X-Forwarded-For` from the peer to the client. Each trusted hop vouches for the item before its own; what stands
 * before an untrusted hop anyone may have written. An item that is no address hides the client: the hop that named it
 * counts instead, because a text of any form would be a new client each time.
 */
function findClient({ raw }: FastifyRequest, isTrusted: (address: string) => boolean): Client {
  const peer = canonicalAddress(raw.socket.remoteAddress ?? '') ?? ''
  const isPeerTrusted = isTrusted(peer)
  let address = peer
  let rest = isPeerTrusted ? [raw.headers['x-forwarded-for'] ?? ''].flat().join(',') : ''
  while (rest !== '' && isTrusted(address)) {
    const comma = rest.lastIndexOf(',')
    const item = rest.slice(comma + 1).trim()
    rest = rest.slice(0, Math.max(comma, 0))
    if (item === '') continue
    const named = addressOfItem(item)
    if (named === null) break
    address = named
  }
  return { address, peer, isPeerTrusted }
}

/** Proxies also write `1.2.3.4:5678`, `[2001:db8::1]:5678` and, after RFC 7239, `for="[2001:db8::1]:5678";proto=https`. */
function addressOfItem(item: string): string | null {
  const node = /^(?:for=)?"?([^\s";]*)"?(?:;.*)?$/i.exec(item)?.[1] ?? ''
  const inBrackets = /^\[([^\]]*)\](?::\w*)?$/.exec(node)?.[1]
  if (inBrackets !== undefined) return canonicalAddress(inBrackets)
  return canonicalAddress(node) ?? canonicalAddress(node.replace(/:\w*$/, ''))
}

/** Networks of IPv6 addresses that stand for an IPv4 address: mapped by the socket, and translated (RFC 6052). */
const ipv4Networks = ['::ffff:0:0/96', '64:ff9b::/96'].map((network) => ipaddr.IPv6.parseCIDR(network))

/**
 * The one spelling of an address: IPv4 in decimals also when it is wrapped in IPv6, IPv6 after RFC 5952 without its
 * zone. Null when the text is no address.
 */
export function canonicalAddress(text: string): string | null {
  const bare = withoutZone(text)
  if (isIPv4(bare)) return bare
  if (!isIPv6(bare)) return null
  const parsed = ipaddr.IPv6.parse(bare)
  return ipv4Networks.some((network) => parsed.match(network))
    ? parsed.toByteArray().slice(-4).join('.')
    : parsed.toRFC5952String()
}

function withoutZone(address: string): string {
  return address.split('%', 1)[0] ?? ''
}

/** The network of a canonical address: an IPv4 address itself, the first bits of an IPv6 address. */
export function networkOfAddress(address: string, ipv6Bits: number): string {
  return isIPv6(address)
    ? ipaddr.IPv6.networkAddressFromCIDR(`${address}/${ipv6Bits}`).toRFC5952String()
    : address
}

const namedNetworks: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Returns a function that decides about canonical addresses. */
function createTrust(entries: readonly string[]): (address: string) => boolean {
  const networks = new BlockList()
  for (const network of entries.flatMap((entry) => namedNetworks[entry] ?? [entry])) {
    const [address = '', bits] = network.split('/')
    const family = familyOf(address)
    networks.addSubnet(withoutZone(address), Number(bits ?? (family === 'ipv4' ? 32 : 128)), family)
  }
  return (address) => address !== '' && networks.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv4(address) ? 'ipv4' : 'ipv6'
}
