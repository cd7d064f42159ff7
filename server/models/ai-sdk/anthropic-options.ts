import type { ReasoningEffort } from '@yonder/contract/bot'
import type { ListedModel } from '../catalogue/listed-models.ts'
import { callsOf, type ModelMessage, type ModelOptions, type ModelRequest } from '../model.ts'
import { readNote } from '../reply-parts.ts'
import type { ProviderNote, ProviderOptions, WrittenOptions } from './write-prompt.ts'

/** Tokens of thinking for models that take a budget. The package adds them to the limit of output tokens. */
const thinkingBudgets: Readonly<Record<ReasoningEffort, number>> = {
  minimal: 1024,
  low: 4096,
  medium: 12_288,
  high: 24_576,
}

/**
 * The version in names such as `claude-sonnet-4-6` and `claude-opus-4.8`, but not the date in `claude-opus-4-20250514`.
 */
const claudeVersion = /\bclaude-[a-z]{1,20}-(\d)(?:[-.](\d{1,2})(?!\d))?/

/** Marks the end of a prefix that Anthropic should cache: a cache breakpoint. */
export const anthropicCacheMark: ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } }

/**
 * Returns the reasoning effort as Anthropic's models expect it: as the list of models says or, without it, an effort
 * from Claude 4.6 on and a budget of thinking for older models. Compatible servers with other models expect a budget.
 * `source` names the upstream (`noteSource`).
 */
export function writeAnthropicOptions(
  request: ModelRequest,
  source: string,
  listed: ListedModel,
): WrittenOptions {
  const { thinking, effort } = writeEffort(request, source, listed)
  const version = versionOf(request.model)
  // These models refuse thinking after another prefix than the one after which it was made: after other instructions
  // or tools, or a summary.
  const binding = version >= 501 ? { blockBinding: { prefixMismatchBehavior: 'drop_block' } } : undefined
  const anthropic = {
    ...((thinking ?? binding) && { thinking: { ...thinking, ...binding } }),
    ...(effort !== undefined && { effort }),
  }
  return {
    providerOptions: Object.keys(anthropic).length === 0 ? {} : { anthropic },
    maxTokens: limitTokens(request, listed, thinking?.budgetTokens),
    // Other models than Claude, at compatible servers, think without being asked to, and expect that back.
    ...(version > 0 && thinksWithBudget(request, listed) && !thinking && { thinking: 'none' as const }),
  }
}

/**
 * The limit of output tokens, to which the package adds the budget of thinking. Without one in the request it is all that
 * the model can write: the package knows that of some names, and assumes too much or too little for others.
 */
function limitTokens(
  { maxTokens }: ModelRequest,
  { maxOutputTokens }: ListedModel,
  budgetTokens = 0,
): number | null {
  return maxOutputTokens === undefined
    ? maxTokens
    : Math.min(maxTokens ?? Infinity, maxOutputTokens - budgetTokens)
}

interface WrittenEffort {
  readonly thinking?: { readonly type: string; readonly display?: string; readonly budgetTokens?: number }
  readonly effort?: string
}

function writeEffort(request: ModelRequest, source: string, listed: ListedModel): WrittenEffort {
  const wanted = request.options?.reasoningEffort
  if (wanted === undefined) return {}
  if (thinksWithBudget(request, listed))
    return beginsWithThinking(request, source)
      ? { thinking: { type: 'enabled', budgetTokens: budgetFor(wanted, listed) } }
      : {}
  const effort = findEffort(wanted, listed)
  const written = effort === undefined ? {} : { effort }
  // These models have no effort below `low`, so the least reasoning is `low` without thinking.
  if (wanted === 'minimal' || listed.thinking?.length === 0) return written
  // Without `display`, newer models omit the text of their thinking.
  return { thinking: { type: 'adaptive', display: 'summarized' }, ...written }
}

/** Whether a model is asked to think with a budget of tokens only. */
function thinksWithBudget({ model }: ModelRequest, { thinking }: ListedModel): boolean {
  if (thinking === undefined) return versionOf(model) < 406
  return thinking.includes('budget') && !thinking.includes('adaptive')
}

/** The efforts of a request, the least first. Anthropic has two more, which are above all of ours. */
const efforts = ['low', 'medium', 'high']

/** The effort that the model takes, at most as much as is wanted if it takes one; undefined when it takes none. */
function findEffort(wanted: ReasoningEffort, listed: ListedModel): string | undefined {
  const taken = efforts.filter((effort) => listed.efforts?.includes(effort) ?? true)
  return taken.findLast((effort) => efforts.indexOf(effort) <= efforts.indexOf(wanted)) ?? taken[0]
}

/** The budget counts as output, so at most half of what the model can write is for thinking. */
function budgetFor(effort: ReasoningEffort, { maxOutputTokens = Infinity }: ListedModel): number {
  return Math.min(thinkingBudgets[effort], Math.floor(maxOutputTokens / 2))
}

/**
 * The option that a model refuses by what its list says. The list does not name temperature and top-p, but the models that
 * refuse them are exactly those that think adaptively only.
 */
export function findRefusedOption(
  { options = {} }: ModelRequest,
  { thinking, efforts: taken }: ListedModel,
): keyof ModelOptions | undefined {
  if (thinking === undefined) return undefined
  if (thinking.includes('adaptive') && !thinking.includes('budget')) {
    if (options.temperature !== undefined) return 'temperature'
    if (options.topP !== undefined) return 'topP'
  }
  const cannotReason = thinking.length === 0 && (taken ?? []).length === 0
  return cannotReason && options.reasoningEffort !== undefined ? 'reasoningEffort' : undefined
}

/** The version as a number, 406 for `claude-sonnet-4-6`; 0 when the name has none. */
function versionOf(model: string): number {
  const [, major = 0, minor = 0] = claudeVersion.exec(model.toLowerCase()) ?? []
  return Number(major) * 100 + Number(minor)
}

/**
 * Whether the model can think in this turn: no call was made yet, or the first ones were made with thinking. A message of
 * the user directly after results may belong to the turn: the sources disagree.
 */
function beginsWithThinking({ messages }: ModelRequest, source: string): boolean {
  const isQuestion = ({ role }: ModelMessage) => role === 'user'
  const starts = [
    messages.findLastIndex(isQuestion),
    messages.findLastIndex((message, index) => isQuestion(message) && messages[index - 1]?.role !== 'tool'),
  ]
  return starts.every((start) => {
    const first = messages.slice(start + 1).find(({ role }) => role === 'assistant')
    return (
      first === undefined ||
      callsOf(first).some(({ note }) => {
        const written = readNote(note, source) as ProviderNote | undefined
        return written?.thinking !== undefined
      })
    )
  })
}
