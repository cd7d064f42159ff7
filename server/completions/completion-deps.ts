import type { Connectors } from '../connectors/open-connectors.ts'
import type { Database } from '../db/database.ts'
import type { BotRow } from '../db/tables/tables.ts'
import type { User } from '../identity/user.ts'
import type { ModelStream } from '../models/model.ts'
import type { ActiveRuns } from './log/active-runs.ts'
import type { RunFeed } from './log/run-feed.ts'
import type { RunLog } from './log/run-log.ts'
import type { RunNews } from './log/run-notifications.ts'
import type { ToollessBots } from './loop/tool-support-cache.ts'

/** What the files of this folder share; `open-completions.ts` makes it. */
export interface CompletionDeps {
  readonly database: Database
  /** Names this process among those that share the database. */
  readonly nodeId: string
  readonly runs: ActiveRuns
  readonly log: RunLog
  readonly news: RunNews
  /** Tells those who listen what runs say. */
  readonly feed: RunFeed
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly openBotModel: (user: User, bot: BotRow) => ModelStream
  readonly connectors: Pick<Connectors, 'listModelTools' | 'resolveTool' | 'callTool' | 'recordDenial'>
  readonly toolless: ToollessBots
  /** Tells a person's other tabs and devices of what no run says. */
  readonly onChatChanged: (userId: string, chatId: string) => void
  /** For what a person cannot act on. */
  readonly onError: (error: unknown) => void
}
