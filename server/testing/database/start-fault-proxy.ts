import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A TCP proxy before PostgreSQL, which fails as networks do. */
export interface FaultProxy {
  /** The address of the database through the proxy. */
  readonly url: string
  /** Open connections that are not dead. */
  readonly size: number
  /** From now on, the open connections carry nothing, without an end, as when a firewall has forgotten them. */
  silence(): void
  /** Closes the open connections. */
  cut(): void
  /** New connections are accepted and carry nothing, until `accept`. */
  blackhole(): void
  /** New connections are closed at once, until `accept`. */
  refuse(): void
  accept(): void
  /** Ends what dead connections have left at the server, as its system does after some time. */
  forget(): void
  /**
   * When a client next sends data with this text, its connection is silenced: before the server gets the data, or before
   * the client gets the response.
   */
  loseNext(text: string, lost: 'request' | 'response'): void
  close(): Promise<void>
}

type Mode = 'forward' | 'blackhole' | 'refuse'

/** Starts a proxy before the PostgreSQL at `address`. */
export async function startFaultProxy(address: string): Promise<FaultProxy> {
  const url = new URL(address)
  const host = url.searchParams.get('host') ?? url.hostname
  const port = url.port || '5432'
  const target = host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port: Number(port) }
  const links = new Set<Link>()
  /** Of dead connections that the client has closed. */
  const left = new Set<Socket>()
  let mode: Mode = 'forward'
  let trap: Trap | undefined
  const server = createServer((client) => {
    client.on('error', () => undefined)
    if (mode === 'refuse') return client.destroy()
    const upstream = mode === 'blackhole' ? undefined : connect(target)
    const link: Link = { client, upstream, isDead: mode === 'blackhole' }
    links.add(link)
    client.on('data', (data) => {
      if (trap !== undefined && data.includes(trap.text)) {
        link.isDead = true
        const { lost } = trap
        trap = undefined
        if (lost === 'response') upstream?.write(data)
        return
      }
      if (!link.isDead) upstream?.write(data)
    })
    upstream?.on('data', (data) => {
      if (!link.isDead) client.write(data)
    })
    upstream?.on('error', () => undefined)
    // A dead connection does not carry the end either.
    upstream?.on('close', () => {
      if (!link.isDead) client.destroy()
    })
    client.on('close', () => {
      links.delete(link)
      if (upstream === undefined) return
      if (!link.isDead) upstream.destroy()
      else left.add(upstream.once('close', () => left.delete(upstream)))
    })
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const setMode = (next: Mode) => () => void (mode = next)
  return {
    url: url.href,
    get size() {
      return [...links].filter(({ isDead }) => !isDead).length
    },
    silence: () => links.forEach((link) => (link.isDead = true)),
    cut: () => links.forEach(destroy),
    blackhole: setMode('blackhole'),
    refuse: setMode('refuse'),
    accept: setMode('forward'),
    forget: () => left.forEach((upstream) => upstream.destroy()),
    loseNext: (text, lost) => void (trap = { text, lost }),
    async close() {
      for (const socket of left) socket.destroy()
      links.forEach(destroy)
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Link {
  readonly client: Socket
  readonly upstream: Socket | undefined
  isDead: boolean
}

interface Trap {
  readonly text: string
  readonly lost: 'request' | 'response'
}

function destroy({ client, upstream }: Link): void {
  client.destroy()
  upstream?.destroy()
}
