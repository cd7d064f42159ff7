import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'

/** A load balancer that asks nodes whether they are ready. */
export interface Balancer {
  readonly url: string
  /** The ports of the nodes, between which it takes turns. */
  nodes: readonly number[]
  close(): void
}

/** Passes each connection on to the next node that is ready, and closes it when there is none. */
export async function startBalancer(): Promise<Balancer> {
  let turn = 0
  const server = createServer((client) => {
    client.on('error', () => client.destroy())
    client.pause()
    void findReady().then((port) => {
      if (port === undefined) return client.destroy()
      const node = connect(port, '127.0.0.1')
      node.on('error', () => client.destroy())
      client.on('close', () => node.destroy())
      client.pipe(node).pipe(client)
      return client
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const balancer: Balancer = {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    nodes: [],
    close: () => server.close(),
  }

  async function findReady(): Promise<number | undefined> {
    const first = ++turn
    const { nodes } = balancer
    for (const [index] of nodes.entries()) {
      const port = nodes[(first + index) % nodes.length] ?? 0
      const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
      if (response?.ok === true) return port
    }
    return undefined
  }

  return balancer
}
