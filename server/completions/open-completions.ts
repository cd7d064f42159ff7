import type { LiveRun } from '@yonder/contract/live'
import type { Api } from '../http/api.ts'
import { createSseHub } from '../http/sse.ts'
import type { SseOptions } from '../http/sse.ts'
import type { ActiveRuns } from './log/active-runs.ts'
import type { CompletionDeps } from './completion-deps.ts'
import { registerCompletionRoutes } from './completion-routes.ts'
import { readRun } from './log/read-run.ts'
import type { RunningReply } from './log/read-run.ts'
import { RunFeed } from './log/run-feed.ts'
import type { RunAudience } from './log/run-feed.ts'
import { RunLog } from './log/run-log.ts'
import { openRunNews } from './log/run-notifications.ts'
import type { OtherNews } from './log/run-notifications.ts'
import { tendRuns } from './maintenance/run-maintenance.ts'
import { registerToolRoutes } from './tool-routes.ts'
import { ToollessBots } from './loop/tool-support-cache.ts'

export type CompletionOptions = Pick<
  CompletionDeps,
  'database' | 'nodeId' | 'now' | 'openBotModel' | 'connectors' | 'onChatChanged' | 'onError'
> & {
  /** Who listens at this node to what happens in their chats. */
  readonly audience: RunAudience & OtherNews
  /** Completions that one person may ask for. */
  readonly perMinute: number
  /** Sees every stream that opens. */
  readonly onOpen: SseOptions['onOpen']
}

/** The runs of this process. */
export interface Completions {
  register(api: Api): void
  /** The run that is writing into a chat, on whichever node. */
  readRun(chatId: string): Promise<RunningReply | undefined>
  countActive(): number
  /**
   * The runs of a person and where they stand; the audience is told of their events until `leaveRuns`. `alone` says that
   * nobody else listens as this user.
   */
  joinRuns(userId: string, alone: boolean): Promise<LiveRun[]>
  leaveRuns(userId: string): void
  /**
   * Takes no new runs, gives those that are under way `grace` milliseconds to finish, and ends the rest as interrupted
   * with their text. Call it before the database closes.
   */
  close(grace?: number): Promise<void>
}

const defaultGrace = 1_000
/** Milliseconds for storing the ends of runs while the process goes down. */
const longestClose = 5_000

export function openCompletions(options: CompletionOptions): Completions {
  const { database, nodeId } = options
  const { db, dialect } = database
  const runs: ActiveRuns = new Map()
  const log = new RunLog({
    db,
    append: (trx, events) => dialect.appendRunEvents(trx, nodeId, events),
    transaction: (work) => db.transaction().execute(work),
    onError: options.onError,
  })
  const { audience } = options
  const news = openRunNews(database, {
    onChange: (change) => audience.onChange(change),
    onGap: () => audience.onGap(),
  })
  const toolless = new ToollessBots(options.now)
  const feed = new RunFeed({ ...options, runs, log, news, toolless }, audience)
  const deps: CompletionDeps = { ...options, runs, log, news, toolless, feed }
  const { onOpen } = options
  const sse = createSseHub({ heartbeat: JSON.stringify({ type: 'heartbeat' }), onOpen })
  const endTending = tendRuns(deps)
  let closing = false

  return {
    register(api) {
      const routes = { ...deps, sse, perMinute: options.perMinute, isClosing: () => closing }
      registerCompletionRoutes(api, routes)
      registerToolRoutes(api, routes)
    },
    readRun: (chatId) => readRun(deps, chatId),
    countActive: () => runs.size,
    joinRuns: (userId, alone) => feed.join(userId, alone),
    leaveRuns: (userId) => feed.leave(userId),
    async close(grace = defaultGrace) {
      closing = true
      await within(grace, allEnded(runs))
      for (const run of runs.values()) run.abort('interrupted')
      await within(longestClose, allEnded(runs))
      sse.close()
      await Promise.all([endTending(), feed.close(), deps.news.close()])
    },
  }
}

async function allEnded(runs: ActiveRuns): Promise<void> {
  await Promise.all([...runs.values()].map((run) => run.ended))
}

function within(milliseconds: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
