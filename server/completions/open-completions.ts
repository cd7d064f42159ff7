import type { Actor } from '../access/access.ts'
import { findStorageProblem, isTemporary } from '../db/storage-problem.ts'
import type { BotRow } from '../db/tables/tables.ts'
import type { Api } from '../http/api.ts'
import { createSseHub, type SseOptions } from '../http/sse.ts'
import { requireUser } from '../identity/authenticate.ts'
import { registerCompactionRoutes } from './compaction-routes.ts'
import type { CompletionDeps } from './completion-deps.ts'
import { registerCompletionRoutes } from './completion-routes.ts'
import { ActiveRuns } from './log/active-runs.ts'
import { listQuestions } from './log/list-questions.ts'
import { createRunReader } from './log/read-run.ts'
import { RunFeed, type RunSubscribers } from './log/run-feed.ts'
import { RunLog } from './log/run-log.ts'
import { openRunNotifications, type ChangeListener } from './log/run-notifications.ts'
import { isEventStored } from './log/run-store.ts'
import { ToolSupportCache } from './loop/call-model.ts'
import { handleRequests, startRunMaintenance } from './maintenance/run-maintenance.ts'
import { registerPromptRoutes } from './prompt-routes.ts'
import { ContextWindows } from './prompt/context-windows.ts'
import { registerQueueRoutes } from './queue/queue-routes.ts'
import { QueueRunner } from './queue/queue-runner.ts'
import { ChatTitles, type TitleDeps } from './title/chat-titles.ts'

/** The dependencies of the app that this domain uses. */
type AppDeps = Pick<CompletionDeps, 'database' | 'nodeId' | 'now'>

export interface CompletionOptions
  extends
    Pick<
      CompletionDeps,
      | 'openBotModel'
      | 'findModelFacts'
      | 'findTaker'
      | 'connectors'
      | 'files'
      | 'compactAt'
      | 'onEnded'
      | 'onChatChanged'
      | 'onQuestion'
      | 'onError'
    >,
    Pick<TitleDeps, 'onTitled' | 'onUntitled'> {
  /** The users with a live stream at this node. Receives run events, other changes, and gaps in the notifications. */
  readonly subscribers: RunSubscribers & ChangeListener
  /**
   * Completions that each user may request per minute. The same number limits the replies of the user in progress at
   * this node.
   */
  readonly perMinute: number
  /** Called for every stream that is opened. */
  readonly onOpen: SseOptions['onOpen']
}

export type Completions = ReturnType<typeof openCompletions>

/** Opens the run log, and starts the maintenance of runs and the feed of their events. */
export function openCompletions(appDeps: AppDeps, options: CompletionOptions) {
  const { database, nodeId, now } = appDeps
  const { subscribers, onError } = options
  const { db, dialect } = database
  const runs = new ActiveRuns()
  const log = new RunLog({
    db,
    append: (trx, events) => dialect.appendRunEvents(trx, nodeId, events),
    async isStored(trx, event) {
      // Waits for a transaction of this run whose connection was lost, and that the server may still commit.
      await dialect.lockRun(trx, event.run_id)
      return isEventStored(trx, event)
    },
    isOutage,
    transaction: (work) => db.transaction().execute(work),
    onError,
  })
  const notifications = openRunNotifications(database, {
    onChange: (change) => subscribers.onChange(change),
    onGap: () => subscribers.onGap(),
  })
  const findModelFacts = withoutFailure(options.findModelFacts, onError)
  const titles = new ChatTitles({ ...options, database, now, findModelFacts })
  const deps: CompletionDeps = {
    database,
    nodeId,
    runs,
    log,
    notifications,
    now,
    openBotModel: options.openBotModel,
    findModelFacts,
    findTaker: options.findTaker,
    toolSupport: new ToolSupportCache(now),
    contextWindows: new ContextWindows(findModelFacts, now),
    titles,
    compactAt: options.compactAt,
    connectors: options.connectors,
    files: options.files,
    onEnded(run) {
      options.onEnded(run)
      queues.drain(run.chatId)
    },
    onChatChanged: options.onChatChanged,
    onQuestion: options.onQuestion,
    onError,
  }
  const queueDeps = { ...deps, perMinute: options.perMinute }
  const queues = new QueueRunner(queueDeps)
  const { contextWindows } = deps
  const feed = new RunFeed(deps, subscribers)
  const sse = createSseHub({
    heartbeat: JSON.stringify({ type: 'heartbeat' }),
    onOpen: options.onOpen,
    keyOf: (request) => requireUser(request).id,
  })
  const endMaintenance = startRunMaintenance({ ...deps, onChatChanged: options.onChatChanged })

  return {
    register(api: Api): void {
      const { perMinute, onChatChanged } = options
      registerCompletionRoutes(api, { completions: deps, sse, perMinute, onChatChanged })
      registerQueueRoutes(api, queueDeps)
      registerPromptRoutes(api, deps)
      registerCompactionRoutes(api, { completions: deps, perMinute, onChatChanged })
    },
    /** Reads the active run of a chat, whichever node executes it. */
    runReader: createRunReader(deps),
    /** Returns the running calls of a user that ask a question. */
    listQuestions: (user: Actor) => listQuestions(deps, user),
    /** Returns the window that prompts of a bot are fitted into, in tokens; undefined when nothing is known. */
    findContextWindow: (bot: BotRow) => contextWindows.find(bot),
    countActive: () => runs.size,
    feed,
    /** From now on, new runs are refused. */
    refuseNew: () => runs.refuseNew(),
    sse,
    /** Stops the runs of deleted chats at this node, without waiting until it looks for them as the others do. */
    stopDeleted: () => void handleRequests(deps).catch(onError),
    /** Refuses new runs, and ends running ones as interrupted, with their text. Call it before the database closes. */
    async close(): Promise<void> {
      runs.refuseNew()
      await queues.close()
      await runs.close()
      await titles.close()
      sse.close()
      await Promise.all([endMaintenance(), feed.close(), notifications.close()])
    },
  }
}

/** Also while PostgreSQL fails over, and its address still leads to a standby. */
function isOutage(error: unknown): boolean {
  const problem = findStorageProblem(error)
  return problem === 'read_only' || isTemporary(problem)
}

/** Reports a failure of the catalogue and returns no facts, so the model's window and prices count as unknown. */
function withoutFailure(
  findModelFacts: CompletionDeps['findModelFacts'],
  onError: CompletionDeps['onError'],
): CompletionDeps['findModelFacts'] {
  return async (bot, model) => {
    try {
      return await findModelFacts(bot, model)
    } catch (error) {
      onError(error)
      return {}
    }
  }
}
