import type { LiveRun } from '@yonder/contract/live'
import type { Api } from '../http/api.ts'
import { AppError } from '../lib/app-error.ts'
import type { SseHub } from '../http/sse.ts'
import { requireUser } from '../identity/require-user.ts'
import type { User } from '../identity/user.ts'
import type { LiveHub } from './live-hub.ts'

/** Milliseconds between two looks whether the access token of an open stream is still good. */
const verifyInterval = 60_000
/** Streams of one person at one node: a browser needs one. */
const mostStreams = 50

export interface LiveRoutesDeps {
  readonly hub: LiveHub
  readonly sse: SseHub
  /** The runs of a person and where they stand; from then on the hub is told of their events. `alone`: the first to listen. */
  readonly joinRuns: (userId: string, alone: boolean) => Promise<LiveRun[]>
  /** Nobody of this user listens any more. */
  readonly leaveRuns: (userId: string) => void
  readonly verify: (token: string) => Promise<User>
  readonly onError: (error: unknown) => void
}

/** What happens in a person's chats, as it happens. */
export function registerLiveRoutes(api: Api, deps: LiveRoutesDeps): void {
  const { hub, sse } = deps

  api.get('/api/live', async (request, reply) => {
    const user = requireUser(request)
    if (hub.count(user.id) >= mostStreams) {
      throw new AppError('rate_limited', 'Too many live streams are open. Close some tabs or devices.')
    }
    const stream = sse.open(request, reply)
    const begin = hub.add(user.id, stream, () => deps.leaveRuns(user.id))
    const [, token = ''] = request.headers.authorization?.split(' ') ?? []
    const timer = setInterval(() => {
      deps.verify(token).catch((error: unknown) => {
        if (error instanceof AppError && error.code === 'unauthenticated') stream.end()
      })
    }, verifyInterval)
    timer.unref()
    stream.onClose(() => clearInterval(timer))
    try {
      begin(await deps.joinRuns(user.id, hub.count(user.id) === 1))
    } catch (error) {
      // The answer has begun: it can only end, and be asked for again.
      deps.onError(error)
      stream.end()
    }
  })
}
