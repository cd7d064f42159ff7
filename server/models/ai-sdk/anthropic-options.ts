import type { ReasoningEffort } from '@yonder/contract/bot'
import { callsOf, type ModelRequest } from '../model.ts'
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
  const { thinking, effort } = writeEffort(request, source)
  const version = versionOf(request.model)
  // These models refuse thinking after another prefix than the one after which it was made: after other instructions
  // or tools, or a summary.
  const binding = version >= 501 ? { blockBinding: { prefixMismatchBehavior: 'drop_block' } } : undefined
  if (thinking === undefined && effort === undefined && binding === undefined) return {}
  return {
    anthropic: {
      ...((thinking ?? binding) && { thinking: { ...thinking, ...binding } }),
      ...(effort !== undefined && { effort }),
    },
  }
}

interface WrittenEffort {
  readonly thinking?: Readonly<Record<string, string | number>>
  readonly effort?: string
}

function writeEffort(request: ModelRequest, source: string): WrittenEffort {
  const effort = request.options?.reasoningEffort
  if (effort === undefined) return {}
  if (versionOf(request.model) < 406) {
    if (continuesWithoutThinking(request, source)) return {}
    return { thinking: { type: 'enabled', budgetTokens: thinkingBudgets[effort] } }
  }
  // These models have no effort below `low`, so the least reasoning is `low` without thinking.
  if (effort === 'minimal') return { effort: 'low' }
  // Without `display`, newer models omit the text of their thinking.
  return { thinking: { type: 'adaptive', display: 'summarized' }, effort }
}

/** The version as a number, 406 for `claude-sonnet-4-6`; 0 when the name has none. */
function versionOf(model: string): number {
  const [, major = 0, minor = 0] = claudeVersion.exec(model.toLowerCase()) ?? []
  return Number(major) * 100 + Number(minor)
}

/**
 * Whether the model continues a turn that has calls without thinking. Anthropic then refuses a budget. A message of the
 * user directly after results may belong to the turn: the sources disagree.
 */
function continuesWithoutThinking({ messages }: ModelRequest, source: string): boolean {
  const start = messages.findLastIndex(
    ({ role }, index) => role === 'user' && messages[index - 1]?.role !== 'tool',
  )
  const turn = messages.slice(start + 1).filter(({ role }) => role === 'assistant')
  return turn.some(
    (message) =>
      !callsOf(message).some(({ note }) => {
        const written = readNote(note, source) as ProviderNote | undefined
        return written?.thinking !== undefined
      }),
  )
}
