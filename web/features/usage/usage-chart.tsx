import type { UsageTotals } from '@yonder/contract/usage/usage-report'
import { formatCount, formatShortCount } from '../../lib/format-usage.ts'
import { formatTokens } from './usage-table.tsx'

export interface UsageBar {
  /** A day or a month. */
  readonly label: string
  /** Undefined when it has no call. */
  readonly totals: UsageTotals | undefined
}

export interface UsageChartProps {
  /** What a bar stands for. */
  readonly unit: 'day' | 'month'
  readonly bars: readonly UsageBar[]
}

// In units of the view box, which is stretched to the width of the page.
const barWidth = 10
const gap = 2
const height = 100
/** Keeps a small amount visible beside a large one. */
const minHeight = 1

/** Bars of input and output tokens. For screen readers it is one image, whose name says where the table is. */
export function UsageChart({ unit, bars }: UsageChartProps) {
  const totalOf = ({ totals }: UsageBar) => (totals?.input_tokens ?? 0) + (totals?.output_tokens ?? 0)
  const highest = bars.reduce((top, bar) => (totalOf(bar) > totalOf(top) ? bar : top), bars[0] ?? noBar)
  const max = totalOf(highest)
  const summary =
    max > 0
      ? `The highest is ${formatCount(max)}, ${unit === 'day' ? 'on' : 'in'} ${highest.label}.`
      : 'No tokens were counted.'
  const toHeight = (tokens: number) => (tokens === 0 ? 0 : Math.max((tokens / max) * height, minHeight))
  return (
    <figure className="flex flex-col gap-2">
      <figcaption className="flex flex-wrap justify-between gap-x-6 gap-y-1 text-xs text-muted">
        <span>
          Tokens per {unit}
          {max > 0 && `, highest ${formatShortCount(max)}`}
        </span>
        <span className="flex gap-4">
          <Key className="bg-muted">Input</Key>
          <Key className="bg-accent">Output</Key>
        </span>
      </figcaption>
      <svg
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- an img cannot use the colours of the theme
        role="img"
        aria-label={`Tokens per ${unit}. ${summary} "Show each ${unit}" opens a table of the figures.`}
        viewBox={`0 0 ${bars.length * barWidth} ${height}`}
        preserveAspectRatio="none"
        className="h-40 w-full border-b border-line-strong"
      >
        {bars.map(({ label, totals }, index) => {
          const [input, output] = [toHeight(totals?.input_tokens ?? 0), toHeight(totals?.output_tokens ?? 0)]
          const place = { x: index * barWidth + gap / 2, width: barWidth - gap }
          return (
            <g key={label}>
              <title>{`${label}: ${describeTotals(totals)}`}</title>
              <rect {...place} y={0} height={height} fill="transparent" />
              <rect {...place} y={height - input} height={input} className="fill-muted" />
              <rect {...place} y={height - input - output} height={output} className="fill-accent" />
            </g>
          )
        })}
      </svg>
      <p aria-hidden className="flex justify-between text-xs text-muted tabular-nums">
        <span>{bars[0]?.label}</span>
        <span>{bars.at(-1)?.label}</span>
      </p>
    </figure>
  )
}

const noBar: UsageBar = { label: '', totals: undefined }

/** A sum of 0 is shown as 'unknown' when no call was fully counted. */
function describeTotals(totals: UsageTotals | undefined): string {
  if (totals === undefined) return 'no calls'
  return `${formatTokens(totals, totals.input_tokens)} input, ${formatTokens(totals, totals.output_tokens)} output`
}

function Key({ className, children }: { readonly className: string; readonly children: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span aria-hidden className={`size-2 rounded-mark ${className}`} />
      {children}
    </span>
  )
}
