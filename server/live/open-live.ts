import type { Api } from '../http/api.ts'
import { createSseHub, type SseOptions } from '../http/sse.ts'
import { requireUser } from '../identity/authenticate.ts'
import type { Identity } from '../identity/identity.ts'
import { LiveHub, type LiveHubDeps } from './live-hub.ts'
import { registerLiveRoutes, type RunFeed } from './live-routes.ts'

interface LiveDeps extends LiveHubDeps {
  readonly identity: Pick<Identity, 'verify'>
}

interface LiveOptions {
  /** Called for every stream that is opened. */
  readonly onOpen: SseOptions['onOpen']
  /** Called with errors that no user can act on. */
  readonly onError: (error: unknown) => void
}

export type Live = ReturnType<typeof openLive>

/** Opens the live updates, with one stream for each browser of a user. */
export function openLive(deps: LiveDeps, { onOpen, onError }: LiveOptions) {
  const hub = new LiveHub(deps, onError)
  const sse = createSseHub({
    heartbeat: JSON.stringify({ type: 'heartbeat' }),
    onOpen,
    keyOf: (request) => requireUser(request).id,
  })
  const verify = (token: string) => deps.identity.verify(token)
  return {
    hub,
    sse,
    register: (api: Api, feed: RunFeed) => registerLiveRoutes(api, { hub, sse, feed, verify, onError }),
    /** Ends every stream. Must be called before the database closes. */
    async close(): Promise<void> {
      sse.close()
      await hub.close()
    },
  }
}
