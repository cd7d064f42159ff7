import type { WorkerFixture } from '@playwright/test'

/** A fixture of something that is started once for a worker that uses it, and closed at its end. */
export function startOnce<Server extends { readonly close: () => Promise<void> }>(
  start: () => Promise<Server>,
): [WorkerFixture<Server, object>, { scope: 'worker' }] {
  return [
    async ({}, use) => {
      const server = await start()
      await use(server)
      await server.close()
    },
    { scope: 'worker' },
  ]
}
