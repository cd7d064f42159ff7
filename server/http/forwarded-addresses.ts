import type { FastifyInstance } from 'fastify'

/**
 * Removes the ports that some proxies (Azure's, IIS) add to the addresses in `X-Forwarded-For`. With its port, every
 * connection would count as another client. Must be registered before everything that reads the address of a request.
 */
export function registerForwardedAddresses(app: FastifyInstance): void {
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    const forwarded = headers['x-forwarded-for']
    if (forwarded === undefined) return
    headers['x-forwarded-for'] = [forwarded].flat().join(',').split(',').map(withoutPort).join(', ')
  })
}

function withoutPort(text: string): string {
  const address = text.trim().replaceAll('"', '')
  const [, inBrackets, ipv4] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(address) ?? []
  return inBrackets ?? ipv4 ?? address
}
