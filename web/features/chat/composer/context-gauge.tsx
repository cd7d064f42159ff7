import type { Bot } from '@yonder/contract/bot'
import type { Message } from '@yonder/contract/message'
import { countChars } from '@yonder/contract/message-text'
import { formatCount } from '../../../lib/format-usage.ts'
import { classNames } from '../../../ui/class-names.ts'
import { Tooltip } from '../../../ui/tooltip/tooltip.tsx'

/** The percentages from which the gauge shows its number, the colour of a warning, and the colour of danger. */
const shownPercent = 50
const warningPercent = 80
const dangerPercent = 95

const radius = 6.5
const circumference = 2 * Math.PI * radius

export interface ContextGaugeProps {
  readonly use: ContextUse
  /** The characters of the message that is being written. */
  readonly typed: number
  /** The tokens of its files, as far as they are known. */
  readonly fileTokens?: number
}

/**
 * The part of the bot's context window that the chat uses, with the message that is being written: a ring, from 50 % on
 * with the percentage. It is a button, because its tooltip must also open with a tap and with the keyboard.
 */
export function ContextGauge({ use, typed, fileTokens = 0 }: ContextGaugeProps) {
  const tokens = use.tokens + estimateTokens(typed) + fileTokens
  // Above 1 when the chat no longer fits as it is.
  const share = tokens / use.window
  const percent = Math.round(share * 100)
  const about = use.isEstimate || typed + fileTokens > 0 ? 'about ' : ''
  const figures = `${percent} % (${about}${formatCount(tokens)} of ${formatCount(use.window)} tokens)`
  return (
    <Tooltip text={`Context: ${figures}`} opensOnPress>
      <button
        type="button"
        aria-label={`Context used: ${figures}`}
        className={classNames(
          'touch-target inline-flex h-8 shrink-0 items-center gap-1.5 rounded-control px-1.5 text-xs tabular-nums transition-colors hover:bg-hover',
          percent >= dangerPercent
            ? 'text-danger'
            : percent >= warningPercent
              ? 'text-warning'
              : 'text-muted',
        )}
      >
        <svg width={16} height={16} viewBox="0 0 16 16" fill="none" strokeWidth={2} aria-hidden>
          <circle cx={8} cy={8} r={radius} className="stroke-line-strong" />
          <circle
            cx={8}
            cy={8}
            r={radius}
            stroke="currentColor"
            strokeDasharray={`${circumference * Math.min(share, 1)} ${circumference}`}
            transform="rotate(-90 8 8)"
          />
        </svg>
        {percent >= shownPercent && <span aria-hidden>{percent} %</span>}
      </button>
    </Tooltip>
  )
}

/** How much of a bot's context window a chat uses. */
export interface ContextUse {
  readonly tokens: number
  /** The size of the context window, in tokens. */
  readonly window: number
  /** Whether a part of the tokens was not counted by a provider. */
  readonly isEstimate: boolean
}

/** Most tokenizers are close to four characters for a token in European languages. */
export const estimateTokens = (chars: number) => Math.ceil(chars / 4)

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
    tokens: (input_tokens ?? 0) + (output_tokens ?? 0) + estimateTokens(chars),
    window,
    isEstimate: chars > 0,
  }
}

function isCounted({ usage }: Message): boolean {
  return typeof usage?.input_tokens === 'number' && typeof usage.output_tokens === 'number'
}
