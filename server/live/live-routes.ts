import { LiveEvent, type LiveRun } from '@yonder/contract/live'
import { type Api, route } from '../http/api.ts'
import type { SseHub } from '../http/sse.ts'
import { requireUser } from '../identity/authenticate.ts'
import type { User } from '../identity/user.ts'
import { AppError } from '../lib/app-error.ts'
import type { LiveHub } from './live-hub.ts'

/** Milliseconds between two verifications of the access token of an open stream. */
const verifyIntervalMs = 60_000

export interface RunFeed {
  /**
   * Returns a user's active runs, each with the number of the event after which events are sent to the hub until
   * `leave`. `isFirst` is true when the user has no other stream at this node.
   */
  join(userId: string, isFirst: boolean): Promise<LiveRun[]>
  /** Called when the user's last stream at this node has closed. */
  leave(userId: string): void
}

interface LiveRoutesDeps {
  readonly hub: LiveHub
  readonly sse: SseHub
  readonly feed: RunFeed
  readonly verify: (token: string) => Promise<User>
  readonly onError: (error: unknown) => void
}

/** Registers a user's live stream: events of the user's runs, and changes of chats and settings. */
export function registerLiveRoutes(api: Api, deps: LiveRoutesDeps): void {
  const { hub, sse } = deps

  const options = route('user', 'Follow all replies and changes', [], {
    response: { 200: { content: { 'text/event-stream': { schema: LiveEvent } } } },
  })
  api.get('/api/live', options, async (request, reply) => {
    const user = requireUser(request)
    sse.checkLimit(request)
    const stream = sse.open(request, reply)
    const sendReady = hub.add(user.id, stream, () => deps.feed.leave(user.id))
    const [, token = ''] = request.headers.authorization?.split(' ') ?? []
    const timer = setInterval(() => {
      deps.verify(token).catch((error: unknown) => {
        // Other errors, such as an unreachable identity provider, say nothing about the token.
        if (error instanceof AppError && error.code === 'unauthenticated') stream.end()
      })
    }, verifyIntervalMs)
    timer.unref()
    stream.onClose(() => clearInterval(timer))
    try {
      sendReady(await deps.feed.join(user.id, hub.count(user.id) === 1))
    } catch (error) {
      // The headers are already sent, so the stream can only be ended. The client reconnects.
      deps.onError(error)
      stream.end()
    }
  })
}
