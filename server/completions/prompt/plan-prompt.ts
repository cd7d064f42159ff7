import { isToolResult } from '../../chats/message-store.ts'
import { parseCall } from '../../chats/tool-call-store.ts'
import { estimateTokens, tokensPerMessage } from '../../lib/estimate-tokens.ts'
import { type PromptMessage, countPrompt, shortenMessage } from './build-prompt.ts'

/** The share of the budget for the messages after a new summary: the rest is room until the next summary is needed. */
const keptShare = 0.4
/** The share of the budget for a summary. */
const summaryShare = 0.15
const maxSummaryTokens = 4_000
const minSummaryTokens = 100
/** Messages that are kept at most when a path is summarised. The last turn is kept even if it has more. */
const maxKeptMessages = 400

/** How much of a path a request may contain. */
export interface PromptBudget {
  /** Tokens of all messages together. */
  readonly tokens: number
  /** The number of messages. */
  readonly messages: number
}

/** What must be done so that a path fits. Both are indexes into the path; 0 means that nothing is done. */
export interface PromptPlan {
  /** Results of tools before this message are shortened. */
  readonly shortenBefore: number
  /** The messages before this one are replaced by a summary. */
  readonly summarizeBefore: number
}

/** The plan for a path that fits as it is. */
export const wholePath: PromptPlan = { shortenBefore: 0, summarizeBefore: 0 }

/** Returns the tokens that a new summary may have. */
export function summaryTokens({ tokens }: PromptBudget): number {
  return Math.max(minSummaryTokens, Math.min(maxSummaryTokens, Math.floor(tokens * summaryShare)))
}

/**
 * Plans how a path is made to fit: results of earlier turns are shortened first; if that is not enough, the
 * older messages are summarised, up to a message of the user; if the last turn alone is too long, its older results are
 * shortened too. `summary` is the text of the summary that precedes the path, if there is one.
 */
export function planPrompt(
  path: readonly PromptMessage[],
  summary: string | undefined,
  budget: PromptBudget,
): PromptPlan {
  const before = summary === undefined ? 0 : estimateTokens(summary)
  const isFull = (tokens: number) => tokens > budget.tokens
  const hasTooMany = path.length > budget.messages
  // The estimate is at most one token for each UTF-16 unit, so short paths need no closer look.
  const chars = sum(path.map((message) => countPrompt(message)))
  if (!hasTooMany && !isFull(before + chars + path.length * tokensPerMessage)) return wholePath
  const costs = path.map((message) => estimateMessage(message))
  if (!hasTooMany && !isFull(before + sum(costs))) return wholePath
  const turn = path.findLastIndex((_, index) => beginsTurn(path, index))
  const shortened = costs.map((cost, index) =>
    index < turn ? Math.min(cost, shortenedCost(path[index])) : cost,
  )
  if (!hasTooMany && !isFull(before + sum(shortened))) return { shortenBefore: turn, summarizeBefore: 0 }
  const summarizeBefore = findCut(path, shortened, budget)
  const kept = sum(shortened.slice(summarizeBefore))
  const isTurnTooLong = isFull(kept + (summarizeBefore === 0 ? before : summaryTokens(budget)))
  return { shortenBefore: isTurnTooLong ? path.length - 1 : turn, summarizeBefore }
}

/**
 * Returns the index of the first message to keep: the earliest message of the user from which on the path is short
 * enough, else the last message of the user. Returns 0 when nothing is left to summarise.
 */
function findCut(path: readonly PromptMessage[], costs: readonly number[], budget: PromptBudget): number {
  let cut = 0
  let tokens = 0
  for (let index = path.length - 1; index > 0; index--) {
    tokens += costs[index] ?? 0
    if (!beginsTurn(path, index)) continue
    const fits = tokens <= budget.tokens * keptShare && path.length - index <= maxKeptMessages
    if (cut !== 0 && !fits) break
    cut = index
  }
  return cut
}

/** Whether a message of the user begins a turn: it is neither a tool's result nor the denial of one call of a batch. */
function beginsTurn(path: readonly PromptMessage[], index: number): boolean {
  const message = path[index]
  if (message === undefined || message.role !== 'user' || isToolResult(message)) return false
  const before = path[index - 1]
  if (before?.call === null || before?.call === undefined) return true
  return parseCall(before.call).deniedBy !== message.id
}

function estimateMessage(message: PromptMessage): number {
  return countPrompt(message, estimateTokens) + tokensPerMessage
}

function shortenedCost(message: PromptMessage | undefined): number {
  if (message === undefined || !(isToolResult(message) || message.forms !== undefined)) return Infinity
  return estimateMessage(shortenMessage(message))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
