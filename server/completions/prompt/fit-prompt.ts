import { findCompactionAt, saveCompaction } from '../../chats/compaction-store.ts'
import {
  isToolResult,
  listPathAfterSummary,
  maxPathMessages,
  type PathMessage,
} from '../../chats/message-store.ts'
import { presentCompaction } from '../../chats/present-chat.ts'
import type { Db } from '../../db/database.ts'
import type { BotRow, CompactionRow } from '../../db/tables/tables.ts'
import { estimateTokens } from '../../lib/estimate-tokens.ts'
import { newId } from '../../lib/new-id.ts'
import type { CollectedReply } from '../../models/collect-reply.ts'
import type { ModelRequest, ModelStream } from '../../models/model.ts'
import type { UsageWrite } from '../../usage/call-meter.ts'
import type { RunRecorder } from '../log/run-recorder.ts'
import { countOmittedMessages } from './build-prompt.ts'
import { listGivenNames, type WithForms } from './file-forms.ts'
import { planPrompt, summaryTokens, type PromptBudget } from './plan-prompt.ts'
import { writeSummary, type SummaryRequest } from './write-summary.ts'

/** How many messages of a path are read when it may have to be summarised. */
const maxReadMessages = 20_000
/** The budget of a prompt when the context window is unknown, and the largest budget for any model. */
const maxPromptTokens = 1_000_000
/** The smallest budget for the messages, however large the instructions and the tools are. */
const minPromptTokens = 500
/** Tokens of messages in one call that summarises, when the context window is unknown or very large. */
const defaultSummaryCallTokens = 30_000
/** The smallest number of such tokens for a smaller window. */
const minSummaryCallTokens = 300
/** Tokens of the task in a call that summarises, besides the messages and the summary before them. */
const summaryTaskTokens = 400

/** What the messages of a prompt are built from. */
export interface PromptSource {
  /** Oldest first. */
  readonly path: readonly (PathMessage & WithForms)[]
  /** The summary of the messages before the path. */
  readonly summary: CompactionRow | undefined
  /** Results of tools before this index of the path are shortened; 0 shortens none. */
  readonly shortenBefore: number
  /** Whether a summary failed in this run. Then no other one is tried in it. */
  readonly summaryFailed?: boolean
}

/** Reads the path to a message: what follows the latest summary on the path, and this summary. */
export async function readPromptSource(db: Db, chatId: string, leafId: string): Promise<PromptSource> {
  let path = await listPathAfterSummary(db, chatId, leafId, maxPathMessages + 1)
  if (path.length > maxPathMessages) path = await listPathAfterSummary(db, chatId, leafId, maxReadMessages)
  const before = path[0]?.parent_id ?? null
  const summary = before === null ? undefined : await findCompactionAt(db, chatId, before)
  const isCut = before !== null && path.length < maxReadMessages
  // The summary was removed between the two queries.
  if (isCut && summary === undefined) return readPromptSource(db, chatId, leafId)
  return { path, summary, shortenBefore: 0 }
}

/**
 * Returns the budget for the messages of a request: `share` of the context window, or less when the reply needs
 * more room, without the instructions and tools, and never below `minPromptTokens`. `window` is in tokens.
 */
export function budgetOf(
  window: number | undefined,
  share: number,
  { maxTokens, instructions = '', tools }: Pick<ModelRequest, 'maxTokens' | 'instructions' | 'tools'>,
): PromptBudget {
  // Without a known window, many short messages are no reason to summarise: the newest are sent.
  if (window === undefined) return { tokens: maxPromptTokens, messages: Infinity }
  const overhead =
    estimateTokens(instructions) + (tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools)))
  const tokens = Math.floor(Math.min(window * share, window - (maxTokens ?? 0), maxPromptTokens)) - overhead
  return { tokens: Math.max(minPromptTokens, tokens), messages: maxPathMessages }
}

/** The chat that is summarised, and the model that writes the summary. */
export interface SummaryFrame {
  readonly chatId: string
  readonly bot: BotRow
  readonly model: ModelStream
  readonly recorder: Pick<RunRecorder, 'add' | 'flush'>
  readonly signal: AbortSignal
  /** Called before each call that summarises. Returns a function that turns the reply into the write of its usage. */
  readonly startCall: () => (reply: CollectedReply) => UsageWrite | undefined
}

/**
 * Makes a path fit into a budget: shortens results and, if needed, summarises the older messages and stores the
 * summary. When a summary fails, the chat stays as it is, and the reply says so. `now` returns milliseconds
 * since 1970.
 */
export async function fitPrompt(
  frame: SummaryFrame,
  source: PromptSource,
  budget: PromptBudget,
  now: () => number,
): Promise<PromptSource> {
  const plan = planPrompt(source.path, source.summary?.content, budget)
  const { shortenBefore } = plan
  const summarizeBefore = source.summaryFailed === true ? 0 : plan.summarizeBefore
  const summary =
    summarizeBefore === 0 ? undefined : await summarize(frame, source, summarizeBefore, budget, now)
  if (summary !== undefined) {
    const path = source.path.slice(summarizeBefore)
    const fitted = { path, summary, shortenBefore: Math.max(0, shortenBefore - summarizeBefore) }
    addDroppedNotice(frame, fitted, countOmittedMessages(path, fitted.shortenBefore))
    addFilesNotice(frame, fitted)
    return fitted
  }
  const path = source.path.slice(-maxPathMessages)
  const fitted = {
    ...source,
    path,
    ...(summarizeBefore > 0 && { summaryFailed: true }),
    shortenBefore: Math.max(0, shortenBefore - (source.path.length - path.length)),
  }
  const dropped = source.path.length - path.length + countOmittedMessages(path, fitted.shortenBefore)
  addDroppedNotice(frame, fitted, dropped)
  addFilesNotice(frame, fitted)
  return fitted
}

/** Adds a notice to the reply when its request has only the names of files that there is no room for. */
function addFilesNotice({ recorder, signal }: SummaryFrame, { path, shortenBefore }: PromptSource): void {
  const names = path.slice(0, shortenBefore).flatMap(listGivenNames)
  if (names.length === 0 || signal.aborted) return
  const shown = [...new Set(names)].map((name) => `“${name}”`).join(', ')
  recorder.add({
    type: 'notice',
    notice: `The conversation is long, so the model was given only the names of earlier files: ${shown}.`,
  })
}

/** Adds a notice to the reply when its request leaves out messages that no summary replaces. */
function addDroppedNotice(
  { recorder, signal }: SummaryFrame,
  { summary }: PromptSource,
  dropped: number,
): void {
  if (dropped === 0 || signal.aborted) return
  const messages = dropped === 1 ? 'message' : `${dropped.toLocaleString('en')} messages`
  const place = summary === undefined ? '' : ' after the summary'
  recorder.add({ type: 'notice', notice: `The model was called without the oldest ${messages}${place}.` })
}

/**
 * Summarises the messages before index `end`. Returns undefined after an abort, and after a failure, of which it adds a
 * notice to the reply.
 */
async function summarize(
  { chatId, bot, model, recorder, signal, startCall }: SummaryFrame,
  source: PromptSource,
  end: number,
  budget: PromptBudget,
  now: () => number,
): Promise<CompactionRow | undefined> {
  const messages = source.path.slice(0, end)
  const last = messages.at(-1)
  if (last === undefined) return undefined
  const count = messages.filter((message) => !isToolResult(message)).length
  const message_count = (source.summary?.message_count ?? 0) + count
  recorder.add({ type: 'compacting', message_count })
  await recorder.flush()
  const result = await writeSummary({
    model,
    modelName: bot.model,
    maxTokens: bot.max_tokens,
    previous: source.summary?.content,
    messages,
    ...summarySizes(budget),
    signal,
    startCall: () => {
      const endCall = startCall()
      return (reply) => {
        const used = endCall(reply)
        // What a call used is stored at once, since the next step may be minutes away.
        if (used !== undefined) recorder.add({ type: 'compacting', message_count }, used)
      }
    },
  })
  recorder.add({ type: 'compacting', message_count: null })
  if ('failure' in result) {
    const notice = `The older messages could not be summarised: ${result.failure}`
    if (!signal.aborted) recorder.add({ type: 'notice', notice })
    return undefined
  }
  const row: CompactionRow = {
    id: newId(),
    chat_id: chatId,
    message_id: last.id,
    message_count,
    content: result.content,
    bot_id: bot.id,
    bot: bot.name,
    model: result.model,
    edited: 0,
    written_at: now(),
    held_until: null,
  }
  recorder.add({ type: 'compaction', compaction: presentCompaction(row) }, (trx) => saveCompaction(trx, row))
  await recorder.flush()
  return row
}

/** Returns the tokens that a summary may have, and those of messages that one call may summarise. */
export function summarySizes(budget: PromptBudget): Pick<SummaryRequest, 'summaryTokens' | 'callTokens'> {
  const tokens = summaryTokens(budget)
  if (budget.tokens >= maxPromptTokens) return { summaryTokens: tokens, callTokens: defaultSummaryCallTokens }
  // Twice the summary: one is in the request, and the new one is the reply.
  const left = budget.tokens - 2 * tokens - summaryTaskTokens
  return { summaryTokens: tokens, callTokens: Math.max(minSummaryCallTokens, left) }
}
