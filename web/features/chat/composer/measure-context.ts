import type { Bot } from '@yonder/contract/bot'
import type { Message } from '@yonder/contract/message'
import { countChars } from '@yonder/contract/message-text'

/** How much of a bot's context window a chat uses. */
export interface ContextUse {
  readonly tokens: number
  /** The size of the context window, in tokens. */
  readonly window: number
  /** Whether a part of the tokens was not counted by a provider. */
  readonly isEstimate: boolean
}

/** Most tokenizers are close to this in European languages. */
const charsPerToken = 4

/**
 * Returns how much of the context window the messages of a path use: the provider's count for the last reply that has
 * one, and an estimate for the messages after it, which include tool results. Undefined for an empty path, and when the
 * size of the window is not known.
 */
export function measureContext(path: readonly Message[], bot: Bot | undefined): ContextUse | undefined {
  const window = bot?.context_window ?? bot?.known_context_window
  if (typeof window !== 'number' || path.length === 0) return undefined
  const counted = path.findLastIndex(isCounted)
  const { input_tokens = 0, output_tokens = 0 } = path[counted]?.usage ?? {}
  const chars = path.slice(counted + 1).reduce((sum, message) => sum + countChars(message), 0)
  return {
    tokens: (input_tokens ?? 0) + (output_tokens ?? 0) + Math.ceil(chars / charsPerToken),
    window,
    isEstimate: chars > 0,
  }
}

function isCounted({ usage }: Message): boolean {
  return typeof usage?.input_tokens === 'number' && typeof usage.output_tokens === 'number'
}
