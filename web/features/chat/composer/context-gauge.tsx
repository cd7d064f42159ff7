import { formatCount } from '../../../lib/format-usage.ts'
import { classNames } from '../../../ui/class-names.ts'
import { Tooltip } from '../../../ui/tooltip/tooltip.tsx'
import type { ContextUse } from './measure-context.ts'

/** From how many percent of the window the gauge shows its figure, and from how many it has a colour. */
const shownPercent = 50
const warningPercent = 80
const dangerPercent = 95

const radius = 6.5
const circumference = 2 * Math.PI * radius

/** The part of the bot's context window that the chat uses: a ring, from 50 % on with the percentage (§25.16). */
export function ContextGauge({ use }: { readonly use: ContextUse }) {
  const share = Math.min(use.tokens / use.window, 1)
  const percent = Math.round(share * 100)
  const about = use.isEstimate ? 'about ' : ''
  const figures = `${about}${formatCount(use.tokens)} of ${formatCount(use.window)} tokens`
  return (
    <Tooltip text={`Context: ${figures} (${percent} %)`}>
      <span
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a meter element cannot be a ring
        role="meter"
        aria-label="Context used"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={`${percent} percent, ${figures}`}
        className={classNames(
          'inline-flex h-8 shrink-0 items-center gap-1.5 px-1 text-xs tabular-nums',
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
            strokeDasharray={`${circumference * share} ${circumference}`}
            transform="rotate(-90 8 8)"
          />
        </svg>
        {percent >= shownPercent && <span aria-hidden>{percent} %</span>}
      </span>
    </Tooltip>
  )
}
