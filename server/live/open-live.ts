import type { Api } from '../http/api.ts'
import { createSseHub } from '../http/sse.ts'
import type { SseOptions } from '../http/sse.ts'
import { LiveHub } from './live-hub.ts'
import type { LiveHubOptions } from './live-hub.ts'
import { registerLiveRoutes } from './live-routes.ts'
import type { LiveRoutesDeps } from './live-routes.ts'

export interface LiveOptions extends LiveHubOptions {
  /** Sees every stream that opens. */
  readonly onOpen: SseOptions['onOpen']
}

/** Live updates: one stream for each browser of a person. */
export interface Live {
  readonly hub: LiveHub
  register(api: Api, sources: Pick<LiveRoutesDeps, 'joinRuns' | 'leaveRuns' | 'verify'>): void
  /** Ends every stream. */
  close(): void
}

export function openLive({ onOpen, ...options }: LiveOptions): Live {
  const hub = new LiveHub(options)
  const sse = createSseHub({ heartbeat: JSON.stringify({ type: 'heartbeat' }), onOpen })
  return {
    hub,
    register: (api, sources) => registerLiveRoutes(api, { ...sources, hub, sse, onError: options.onError }),
    close() {
      hub.onGap()
      sse.close()
    },
  }
}
