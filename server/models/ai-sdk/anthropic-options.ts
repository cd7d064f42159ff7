import type { ReasoningEffort } from '@yonder/contract/bot'
import type { ModelRequest } from '../model.ts'
import { readNote } from '../reply-parts.ts'
import type { ProviderOptions, ProviderNote } from './write-prompt.ts'

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
 * Returns the reasoning effort as Anthropic's models expect it: an effort from Claude 4.6 on, a budget of thinking for
 * older models. Compatible servers with other models expect a budget. `source` names the upstream
 * (`noteSource`).
 */
export function writeAnthropicOptions(request: ModelRequest, source: string): ProviderOptions {
  const effort = request.options?.reasoningEffort
  if (effort === undefined) return {}
  if (!takesEffort(request.model)) {
    if (continuesWithoutThinking(request, source)) return {}
    return { anthropic: { thinking: { type: 'enabled', budgetTokens: thinkingBudgets[effort] } } }
  }
  // These models have no effort below `low`, so the least reasoning is `low` without thinking.
  if (effort === 'minimal') return { anthropic: { effort: 'low' } }
  // Without `display`, newer models omit the text of their thinking.
  return { anthropic: { thinking: { type: 'adaptive', display: 'summarized' }, effort } }
}

function takesEffort(model: string): boolean {
  const [, major, minor] = claudeVersion.exec(model.toLowerCase()) ?? []
  return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 6)
}

/** Whether the request ends with results of calls that were made without thinking. Anthropic then refuses a budget. */
function continuesWithoutThinking({ messages }: ModelRequest, source: string): boolean {
  if (messages.at(-1)?.role !== 'tool') return false
  const turn = messages.findLast((message) => message.role !== 'tool')
  const calls = turn?.toolCalls ?? []
  return !calls.some(({ note }) => {
    const written = readNote(note, source) as ProviderNote | undefined
    return written?.thinking !== undefined
  })
}
