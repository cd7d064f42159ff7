import type { Connectors } from '../connectors/open-connectors.ts'
import type { Database } from '../db/database.ts'
import type { BotRow } from '../db/tables/tables.ts'
import type { Taker } from '../files/plan-files.ts'
import type { FileDeps } from '../files/store-file.ts'
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
  /** Stores the files of results. */
  readonly files: FileDeps
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
  /** What the model of a bot takes. */
  readonly findTaker: (bot: BotRow) => Promise<Taker>
  readonly toolSupport: ToolSupportCache
  readonly contextWindows: ContextWindows
  readonly titles: Pick<ChatTitles, 'watch'>
  /** The share of a context window above which older messages are summarised. */
  readonly compactAt: number
  readonly connectors: Pick<
    Connectors,
    | 'listModelTools'
    | 'resolveTool'
    | 'resolveForCall'
    | 'checkDefinition'
    | 'checkArguments'
    | 'callTool'
    | 'recordDenial'
  >
  /** Called when the end of a run is stored, or this process has lost the run. Never throws. */
  readonly onEnded: (run: EndedRun) => void
  /** Notifies the live streams of the user of a change to the chat that is not a run event. */
  readonly onChatChanged: (userId: string, chatId: string) => void
  /** Called when a running call has asked the user something. Never throws. */
  readonly onQuestion: (question: AskedQuestion) => void
  /** Called with errors that no user can act on. */
  readonly onError: (error: unknown) => void
}

/** A run that has ended. */
export interface EndedRun {
  readonly id: number
  readonly chatId: string
  readonly userId: string
  /** The reply that it ended with. */
  readonly replyId: string
}

/** A question that a running call has asked. */
export interface AskedQuestion {
  readonly questionId: string
  readonly chatId: string
  readonly userId: string
  /** The reply that makes the call. */
  readonly replyId: string
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
