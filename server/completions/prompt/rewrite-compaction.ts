import { endHold, holdCompaction, requireCompaction } from '../../chats/compaction-store.ts'
import type { BotRow, CompactionRow } from '../../db/tables/tables.ts'
import type { User } from '../../identity/user.ts'
import { withTimeout } from '../../lib/abort.ts'
import { AppError } from '../../lib/app-error.ts'
import { CallMeter } from '../../usage/call-meter.ts'
import type { CompletionDeps } from '../completion-deps.ts'
import { budgetOf, readPromptSource, summarySizes } from './fit-prompt.ts'
import { writeSummary } from './write-summary.ts'

/** The time limit of a rewrite. A reservation that was not ended, such as after a crash, ends then too. */
const maxRewriteMs = 300_000

type RewriteDeps = Pick<
  CompletionDeps,
  'database' | 'now' | 'openBotModel' | 'findModelFacts' | 'contextWindows' | 'compactAt'
>

export interface RewriteOptions {
  readonly user: User
  /** The bot whose model writes the summary. */
  readonly bot: BotRow
  readonly row: CompactionRow
  /** Aborts when the client has disconnected. */
  readonly closed: AbortSignal
  /** Notifies the user's live streams. Called when the rewriting has begun, and when it has ended. */
  readonly onChanged: () => void
}

/**
 * Rewrites a summary with the model of a bot. A second request at the same time is refused. A failure leaves
 * the summary as it was.
 * @throws AppError `conflict`, `not_found`, `upstream_error`
 */
export async function rewriteCompaction(deps: RewriteDeps, rewrite: RewriteOptions): Promise<CompactionRow> {
  const { bot, row, closed, onChanged } = rewrite
  const { db } = deps.database
  const until = await holdCompaction(deps.database, row, maxRewriteMs)
  if (until === null) {
    await requireCompaction(db, row.chat_id, row.id)
    throw heldCompaction()
  }
  onChanged()
  try {
    const result = await withTimeout(closed, maxRewriteMs, (signal) => writeNewText(deps, rewrite, signal))
    if ('failure' in result)
      throw new AppError('upstream_error', `The summary could not be written again: ${result.failure}`)
    const change = {
      ...result,
      bot_id: bot.id,
      bot: bot.name,
      edited: 0,
      written_at: deps.now(),
      held_until: null,
    }
    if (!(await endHold(db, row, until, change))) {
      await requireCompaction(db, row.chat_id, row.id)
      // The reservation has expired, and another request has changed or reserved the summary since.
      throw new AppError(
        'conflict',
        'Writing the summary again took too long, and another change was made since, so the new text was not saved. Reload the page to see the summary.',
      )
    }
    return { ...row, ...change }
  } catch (error) {
    await endHold(db, row, until)
    throw error
  } finally {
    onChanged()
  }
}

async function writeNewText(
  deps: RewriteDeps,
  { user, bot, row: { chat_id, id, message_id } }: RewriteOptions,
  signal: AbortSignal,
) {
  const { db } = deps.database
  const { path, summary } = await readPromptSource(db, chat_id, message_id)
  const window = await deps.contextWindows.find(bot)
  const budget = budgetOf(window, deps.compactAt, { maxTokens: bot.max_tokens, tools: [] })
  return writeSummary({
    model: deps.openBotModel(bot),
    modelName: bot.model,
    maxTokens: bot.max_tokens,
    previous: summary?.content,
    messages: path,
    ...summarySizes(budget),
    signal,
    startCall: () => {
      const call = { userId: user.id, bot, chatId: chat_id, messageId: id, kind: 'summary' } as const
      const meter = new CallMeter(deps, call)
      // What was used counts, even when the summary cannot be used.
      return async (reply) => meter.createReplyWrite(reply)?.(db, { messages: [] })
    },
  })
}

export function heldCompaction(): AppError {
  return new AppError(
    'conflict',
    'This summary is being written again. Wait until that is finished, then try again.',
  )
}
