import type { Api } from '../http/api.ts'
import { createSseHub } from '../http/sse.ts'
import type { SseOptions } from '../http/sse.ts'
import { LiveHub } from './live-hub.ts'
import type { LiveHubOptions } from './live-hub.ts'
import { registerLiveRoutes } from './live-routes.ts'
import type { LiveRoutesDeps } from './live-routes.ts'

export interface LiveOptions extends LiveHubOptions {
  /** Called with every stream that opens. */
  readonly onOpen: SseOptions['onOpen']
}

/** Live updates: one stream for each browser of a user. */
export interface Live {
  readonly hub: LiveHub
  register(api: Api, sources: Pick<LiveRoutesDeps, 'joinRuns' | 'leaveRuns' | 'verify'>): void
  /** Ends every stream. */
  close(): void
}

export function openLive(options: LiveOptions): Live {
  const { onOpen, onError } = options
  const hub = new LiveHub(options)
  const sse = createSseHub({ heartbeat: JSON.stringify({ type: 'heartbeat' }), onOpen })
  return {
    hub,
    register: (api, { joinRuns, leaveRuns, verify }) =>
      registerLiveRoutes(api, { hub, sse, joinRuns, leaveRuns, verify, onError }),
    close() {
      hub.onGap()
      sse.close()
    },
  }
}
