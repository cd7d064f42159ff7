import type { FastifyInstance } from 'fastify'

export interface HeldResponses {
  /** The addresses whose routes have read their data, in order. The response of each waits until its release. */
  readonly readUrls: readonly string[]
  /** Adds the hook that holds responses to all routes that are registered afterwards. */
  readonly addHooks: (app: FastifyInstance) => void
  readonly release: (url: string) => void
}

/** Holds the responses of the addresses that begin with `prefix` after their routes have read the data. */
export function holdResponses(prefix: string): HeldResponses {
  const readUrls: string[] = []
  const gates = new Map<string, () => void>()
  return {
    readUrls,
    addHooks(app) {
      app.addHook('preSerialization', async ({ url }, _reply, payload) => {
        if (!url.startsWith(prefix)) return payload
        readUrls.push(url)
        await new Promise<void>((resolve) => gates.set(url, resolve))
        return payload
      })
    },
    release: (url) => gates.get(url)?.(),
  }
}
