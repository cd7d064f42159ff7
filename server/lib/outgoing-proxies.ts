import { BlockList, isIP } from 'node:net'

/** The proxies for requests to other servers, as most programs read them from the environment. */
export interface OutgoingProxies {
  /** `HTTPS_PROXY`: for addresses that begin with https. Null without one. */
  readonly https: URL | null
  /** `HTTP_PROXY`: for addresses that begin with http. */
  readonly http: URL | null
  /** Whether a host, without brackets, is reached without a proxy (`NO_PROXY`). */
  readonly isDirect: (host: string, port: number) => boolean
}

/** Names of this machine, also as a container sees it. No proxy can mean the same machine by them. */
const ownNames = /^(.+\.)?localhost\.?$|^host\.(docker|containers)\.internal$/

/**
 * Reads `NO_PROXY`: names, which include the names below them, addresses, networks such as `10.0.0.0/8`, each perhaps
 * with a port, or `*`. This machine is always reached without a proxy.
 */
export function createNoProxy(text: string): (host: string, port: number) => boolean {
  const networks = new BlockList()
  networks.addSubnet('127.0.0.0', 8)
  networks.addAddress('::1', 'ipv6')
  const names: { readonly name: string; readonly port: number | null }[] = []
  for (const entry of text.toLowerCase().split(/[\s,]+/)) {
    const [address = '', bits] = entry.split('/')
    if (isIP(address) !== 0) addNetwork(networks, address, bits)
    else if (entry !== '') names.push(parseName(entry))
  }
  return (host, port) => {
    const name = host.toLowerCase().replace(/\.$/, '')
    if (ownNames.test(name)) return true
    const family = isIP(name)
    if (family !== 0 && networks.check(name, family === 6 ? 'ipv6' : 'ipv4')) return true
    return names.some(
      (one) =>
        (one.port === null || one.port === port) &&
        (one.name === '*' || name === one.name || (family === 0 && name.endsWith(`.${one.name}`))),
    )
  }
}

/** Other programs read the same variable, so what cannot be a network is passed over. */
function addNetwork(networks: BlockList, address: string, bits: string | undefined): void {
  const [family, max] = isIP(address) === 6 ? (['ipv6', 128] as const) : (['ipv4', 32] as const)
  const prefix = Number(bits ?? max)
  if (Number.isInteger(prefix) && prefix >= 0 && prefix <= max) networks.addSubnet(address, prefix, family)
}

function parseName(entry: string): { readonly name: string; readonly port: number | null } {
  const [, inBrackets, plain = '', port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? []
  return {
    name: inBrackets ?? plain.replace(/^\*?\./, '').replace(/\.$/, ''),
    port: port === undefined ? null : Number(port),
  }
}
