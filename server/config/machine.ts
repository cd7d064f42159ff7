import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'

/** What this process can see of the machine that it runs on. */
export interface Machine {
  /** As in an address; null when the system has no name that an address could contain. */
  readonly hostName: string | null
  /** Its network addresses, without loopback addresses and the link-local ones of IPv6, which need a zone. */
  readonly addresses: readonly string[]
  /** Whether the process runs in a container: the host name and `localhost` are then usually those of the container. */
  readonly isContainer: boolean
}

export function readMachine(): Machine {
  return {
    hostName: toHostName(hostname()),
    addresses: listAddresses(),
    isContainer: isContainer(process.env),
  }
}

/** The default for tests, in which no setting depends on the machine. */
export const unknownMachine: Machine = { hostName: null, addresses: [], isContainer: false }

/**
 * Converts the name that the system reports to the form that it has in an address: lower case, and ASCII for other
 * scripts. Returns null for a name that an address cannot contain, or that would be read as an IP address.
 */
export function toHostName(name: string): string | null {
  const url = `https://${name.trim().replace(/\.$/, '')}/`
  if (!URL.canParse(url)) return null
  const { hostname: host, href } = new URL(url)
  const isName = isIP(host) === 0 && host.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label))
  return isName && host.length <= 253 && href === `https://${host}/` ? host : null
}

function listAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !/^fe[89ab]/i.test(address))
    .map(({ address }) => address)
}

/** The marks that Docker, Podman, Kubernetes and systemd leave. */
function isContainer(environment: NodeJS.ProcessEnv): boolean {
  return (
    existsSync('/.dockerenv') ||
    existsSync('/run/.containerenv') ||
    environment['KUBERNETES_SERVICE_HOST'] !== undefined ||
    (environment['container'] ?? '') !== ''
  )
}
