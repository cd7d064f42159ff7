import type { GrantLimits } from '@yonder/contract/tool-call'
import type { ToolGrantRow } from '../../db/tables/connector-tables.ts'
import { readArguments } from '../calls/tool-call.ts'
import { type GrantVersion, readRule } from './grant-store.ts'

/** What a grant with limits is compared with. */
export interface ToolUse {
  readonly chatId: string
  readonly botId: string
  /** A JSON object as text. */
  readonly arguments: string
}

type Times = Pick<ToolGrantRow, 'ends_at' | 'created_at'>

/**
 * Returns when an allowance ends, in milliseconds since 1970; null when it does not. The operator's longest time counts
 * from its creation, also for a grant from before the operator set one.
 */
export function endOf({ ends_at, created_at }: Times, maxGrantMs: number | null): number | null {
  if (maxGrantMs === null) return ends_at
  return Math.min(ends_at ?? Infinity, created_at + maxGrantMs)
}

export function hasEnded(times: Times, maxGrantMs: number | null, now: number): boolean {
  const end = endOf(times, maxGrantMs)
  return end !== null && end <= now
}

type Scope = Pick<GrantVersion, 'bot_id' | 'chat_id' | 'rule'>

/**
 * Finds the first of some grants whose bot, chat and rule allow a use. Arguments that are not one JSON object, or that
 * repeat a key, are allowed by none, because it is not certain what a server reads in them.
 */
export function findMatching<Grant extends Scope>(grants: readonly Grant[], use: ToolUse): Grant | undefined {
  const near = grants.filter(
    ({ bot_id, chat_id }) =>
      (bot_id === null || bot_id === use.botId) && (chat_id === null || chat_id === use.chatId),
  )
  if (near.length === 0) return undefined
  const callArguments = tryReadArguments(use.arguments)
  return callArguments && near.find(({ rule }) => meetsRule(callArguments, readRule(rule)))
}

function tryReadArguments(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return readArguments(text)
  } catch {
    return undefined
  }
}

/** Compares code units: another way to write the same letter is another text. */
function meetsRule(callArguments: Readonly<Record<string, unknown>>, rule: GrantLimits['rule']): boolean {
  if (rule === undefined) return true
  if (!Object.hasOwn(callArguments, rule.argument)) return false
  // A server that reads keys in any case may read the other one.
  if (Object.keys(callArguments).filter((key) => fold(key) === fold(rule.argument)).length > 1) return false
  const value = callArguments[rule.argument]
  if (typeof value !== 'string') return false
  return rule.test === 'equals' ? value === rule.value : beginsWith(value, rule.value)
}

/** Also of the letters whose capital one is an ordinary letter, such as the long s. */
const fold = (key: string): string => key.toUpperCase().toLowerCase()

/** The part `..` of a path or an address, also if it is encoded. */
const parentFolder = /(?:^|[/\\]|%2f|%5c)(?:\.|%2e){2}(?=$|[/\\?#;]|%2f|%5c)/gi

/** Whether a text begins with another one, and does not lead out of it as a path. */
function beginsWith(text: string, beginning: string): boolean {
  if (!text.startsWith(beginning)) return false
  return !Array.from(text.matchAll(parentFolder)).some(
    ({ index, 0: found }) => index + found.length > beginning.length,
  )
}

/** Converts the limits of a grant to the form that its user gets. */
export function presentLimits(grant: GrantVersion, maxGrantMs: number | null): GrantLimits {
  const end = endOf(grant, maxGrantMs)
  const rule = readRule(grant.rule)
  return {
    ...(grant.bot_id === null ? {} : { bot: grant.bot }),
    ...(grant.chat_id === null ? {} : { chat_id: grant.chat_id }),
    ...(end === null ? {} : { ends_at: new Date(end).toISOString() }),
    ...(rule === undefined ? {} : { rule }),
  }
}
