import { formatCount } from '../../../lib/format-usage.ts'
import { classNames } from '../../../ui/class-names.ts'
import { Tooltip } from '../../../ui/tooltip/tooltip.tsx'
import type { ContextUse } from './measure-context.ts'

/** The percentages from which the gauge shows its number, the colour of a warning, and the colour of danger. */
const shownPercent = 50
const warningPercent = 80
const dangerPercent = 95

const radius = 6.5
const circumference = 2 * Math.PI * radius

/**
 * The part of the bot's context window that the chat uses: a ring, from 50 % on with the percentage. It is a
 * button, because its tooltip must also open with a tap and with the keyboard.
 */
export function ContextGauge({ use }: { readonly use: ContextUse }) {
  // Above 1 when the chat no longer fits as it is.
  const share = use.tokens / use.window
  const percent = Math.round(share * 100)
  const about = use.isEstimate ? 'about ' : ''
  const figures = `${percent} % (${about}${formatCount(use.tokens)} of ${formatCount(use.window)} tokens)`
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
