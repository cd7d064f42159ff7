import type { Connectors } from '../connectors/open-connectors.ts'
import type { Database } from '../db/database.ts'
import type { BotRow } from '../db/tables/tables.ts'
import type { User } from '../identity/user.ts'
import type { ModelStream } from '../models/model.ts'
import type { MeterDeps } from '../usage/call-meter.ts'
import type { ActiveRuns, PendingElicitations } from './log/active-runs.ts'
import type { RunLog } from './log/run-log.ts'
import type { RunNotifications } from './log/run-notifications.ts'
import type { RunRecorder } from './log/run-recorder.ts'
import type { ToolSupportCache } from './loop/call-model.ts'
import type { ContextWindows } from './prompt/context-windows.ts'
import type { WrittenRun } from './run.ts'
import type { ChatTitles } from './title/chat-titles.ts'

/**
 * The dependencies of the functions in this folder. Each function picks those that it needs. Created in
 * `open-completions.ts`.
 */
export interface CompletionDeps {
  readonly database: Database
  /** Identifies this process among those that share the database. */
  readonly nodeId: string
  /** The runs that this process writes. */
  readonly runs: ActiveRuns
  readonly log: RunLog
  readonly notifications: RunNotifications
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly openBotModel: (bot: BotRow) => ModelStream
  /** What is known about a model at the provider of a bot. */
  readonly findModelFacts: MeterDeps['findModelFacts']
  readonly toolSupport: ToolSupportCache
  readonly contextWindows: ContextWindows
  readonly titles: Pick<ChatTitles, 'watch'>
  /** The share of a context window above which older messages are summarised. */
  readonly compactAt: number
  readonly connectors: Pick<
    Connectors,
    'listModelTools' | 'resolveTool' | 'checkArguments' | 'callTool' | 'recordDenial'
  >
  /** Called with errors that no user can act on. */
  readonly onError: (error: unknown) => void
}

/** What the execution of one run needs. */
export interface RunFrame {
  readonly run: WrittenRun
  readonly user: User
  readonly bot: BotRow
  /** The time zone of the user's browser, as an IANA name. */
  readonly timeZone: string
  readonly recorder: RunRecorder
  readonly elicitations: PendingElicitations
  readonly signal: AbortSignal
}
