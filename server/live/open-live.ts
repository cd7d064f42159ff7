import type { Api } from '../http/api.ts'
import { createSseHub } from '../http/sse.ts'
import { LiveHub } from './live-hub.ts'
import type { LiveHubOptions } from './live-hub.ts'
import { registerLiveRoutes } from './live-routes.ts'
import type { LiveRoutesDeps } from './live-routes.ts'

/** Live updates: one stream for each browser of a person. */
export interface Live {
  readonly hub: LiveHub
  register(api: Api, sources: Pick<LiveRoutesDeps, 'joinRuns' | 'leaveRuns' | 'verify'>): void
  /** Ends every stream. */
  close(): void
}

export function openLive(options: LiveHubOptions): Live {
  const hub = new LiveHub(options)
  const sse = createSseHub({ heartbeat: JSON.stringify({ type: 'heartbeat' }) })
  return {
    hub,
    register: (api, sources) => registerLiveRoutes(api, { ...sources, hub, sse, onError: options.onError }),
    close() {
      hub.onGap()
      sse.close()
    },
  }
}
