import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { AppError } from '../../lib/app-error.ts'
import type { OutgoingProxies } from '../../lib/outgoing-proxies.ts'

export interface AddressPolicy {
  /** The source of the address: the operator (unrestricted), a user, or a response of another server. */
  readonly trust: 'operatorSupplied' | 'userSupplied' | 'serverSupplied'
  /** The operator's `host:port` exceptions; `*` stands for every port. The host is a name or an address. */
  readonly allowedPrivateHosts: readonly string[]
  /** Whether only this machine can reach the product. Then an address that a user entered may lead to this machine. */
  readonly isLoopbackInstallation: boolean
  /** The ports of the product and its database. On loopback, only an exception with the port's number allows one. */
  readonly ownPorts: readonly number[]
  /** Whether the product runs in a container, whose `localhost` is not what a user means by it. */
  readonly isContainer?: boolean
  /** The proxies that requests go through; none by default. */
  readonly proxies?: OutgoingProxies | null
}

export interface Target {
  /** The host of the URL, without brackets. */
  readonly host: string
  readonly port: number
  /** The address that `host` resolved to, or `host` itself when it is an address. */
  readonly address: string
}

/**
 * Of the addresses that the operator did not supply, `public` ones are always allowed, `private` ones by exception,
 * `loopback` ones by exception or when a user entered them on a loopback installation, and `forbidden` ones never.
 * Among the forbidden ones are link-local, multicast and unspecified addresses, metadata services, and the IPv6 forms
 * that wrap or translate another address.
 */
type Reach = 'public' | 'loopback' | 'private' | 'forbidden'

/** Whether a connection to this address may be opened at all. */
export function isAllowed(policy: AddressPolicy, target: Target): boolean {
  if (policy.trust === 'operatorSupplied') return true
  const reach = classify(target.address)
  switch (reach) {
    case 'public':
      return true
    case 'forbidden':
      return false
    case 'private':
      return isException(policy, target)
    case 'loopback':
      if (isException(policy, target)) return true
      return (
        policy.trust === 'userSupplied' &&
        policy.isLoopbackInstallation &&
        !policy.ownPorts.includes(target.port)
      )
  }
}

/** Names that are in use inside of networks only: those without a dot, and those that are reserved for it. */
const privateName = /^[^.]*\.?$|\.(localhost|local|internal|intranet|lan|home|corp|home\.arpa)\.?$/i

/**
 * Whether a proxy may be asked for a name whose addresses are unknown here, because only the proxy's network has DNS.
 */
export function isAllowedName(policy: AddressPolicy, host: string, port: number): boolean {
  if (policy.trust === 'operatorSupplied' || !privateName.test(host)) return true
  return isException(policy, { host, port, address: '' })
}

/** The error for a refused address. It does not depend on what the host resolves to, or on what listens there. */
export function addressRefused(policy: AddressPolicy, host: string, port: number): AppError {
  return new AppError(
    'address_refused',
    `The address ${host}:${port} is not reachable from here, because it is not public. ${adviceFor(policy, host, port)}`,
  )
}

function adviceFor(policy: AddressPolicy, host: string, port: number): string {
  if (policy.isContainer === true && isLoopbackName(host)) {
    return `Yonder runs in a container, where ${host} is the container itself. The machine around it is host.docker.internal, or host.containers.internal with Podman: use http://host.docker.internal:${port} after the operator of this installation has allowed it with ALLOWED_PRIVATE_HOSTS=host.docker.internal:${port}.`
  }
  if (isIP(host) !== 0 && classify(host) === 'forbidden')
    return 'Link-local addresses, metadata services and other special addresses are always refused. Use another address.'
  return 'The operator of this installation can allow addresses in private networks and on its own machine with ALLOWED_PRIVATE_HOSTS.'
}

/** Does not resolve the host, so that the error is the same whatever the name leads to. */
function isLoopbackName(host: string): boolean {
  return /(^|\.)localhost$/i.test(host) || (isIP(host) !== 0 && classify(host) === 'loopback')
}

/**
 * Parses an address and checks what needs no connection: http or https, no user name or password, no character that a
 * parser would silently drop, and no literal IP address that the policy refuses.
 * @throws AppError `address_refused`
 */
export function requireUrl(policy: AddressPolicy, address: string | URL): URL {
  const text = String(address).trim()
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\0-\x20\x7f]/.test(text) || !URL.canParse(text))
    throw new AppError(
      'address_refused',
      'The address is not a valid web address such as https://example.com.',
    )
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new AppError(
      'address_refused',
      'Only addresses that begin with https:// or http:// can be reached.',
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new AppError('address_refused', 'An address must not contain a user name or password.')
  }
  const host = bareHost(url.hostname)
  const port = portOf(url)
  if (isIP(host) !== 0 && !isAllowed(policy, { host, port, address: host }))
    throw addressRefused(policy, host, port)
  return url
}

/** The host of a URL, without the brackets of an IPv6 address. */
export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** The port of an address, also when it is the default one. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port)
  return url.protocol === 'https:' ? 443 : 80
}

function classify(address: string): Reach {
  if (isIP(address) === 0) return 'forbidden'
  const parsed = ipaddr.parse(address)
  return parsed instanceof ipaddr.IPv6 ? classifyIpv6(parsed) : classifyIpv4(parsed)
}

/** Metadata services outside the link-local range: Alibaba's, and Amazon's over IPv6. */
const metadataAddresses: readonly string[] = ['100.100.100.200', 'fd00:ec2::254', 'fd00:ec2:0:0:0:0:0:254']

function classifyIpv4(address: ipaddr.IPv4): Reach {
  if (metadataAddresses.includes(address.toString())) return 'forbidden'
  switch (address.range()) {
    case 'unicast':
      return 'public'
    case 'loopback':
      return 'loopback'
    case 'private':
    case 'carrierGradeNat':
      return 'private'
    case 'reserved':
      // The ranges for tests and documentation may be in use inside a network, unlike 240.0.0.0/4.
      return (address.octets[0] ?? 255) < 240 ? 'private' : 'forbidden'
    default:
      return 'forbidden'
  }
}

/** Public IPv6 is 2000::/3 without the ranges for documentation, for protocols such as Teredo, and for 6to4. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
const excludedRanges = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
)

function classifyIpv6(address: ipaddr.IPv6): Reach {
  if (address.zoneId !== undefined || metadataAddresses.includes(address.toString())) return 'forbidden'
  const range = address.range()
  if (range === 'loopback') return 'loopback'
  if (range === 'uniqueLocal') return 'private'
  return address.match(globalUnicast) && !excludedRanges.some((range) => address.match(range))
    ? 'public'
    : 'forbidden'
}

function isException(policy: AddressPolicy, { host, port, address }: Target): boolean {
  return policy.allowedPrivateHosts.some((entry) => {
    const colon = entry.lastIndexOf(':')
    const name = bareHost(entry.slice(0, colon)).toLowerCase()
    const ports = entry.slice(colon + 1)
    if (name !== host.toLowerCase() && !isSameAddress(name, address)) return false
    return ports === '*'
      ? !(policy.ownPorts.includes(port) && classify(address) === 'loopback')
      : Number(ports) === port
  })
}

/** Also true for 127.0.0.1 and ::1, since `localhost` may resolve to either. */
function isSameAddress(name: string, address: string): boolean {
  if (isIP(name) === 0) return false
  const [first, second] = [name, address].map((text) => ipaddr.parse(text).toString())
  const loopbackAddresses = ['127.0.0.1', '::1', '0:0:0:0:0:0:0:1']
  return (
    first === second || (loopbackAddresses.includes(first ?? '') && loopbackAddresses.includes(second ?? ''))
  )
}
