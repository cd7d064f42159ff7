import type { ToolProgress } from '@yonder/contract/tool-call'
import { InertText } from './inert-text.tsx'

/** The progress that a running call reports: as a bar when its total is known, and in words (§13.4). */
export function CallProgress({
  progress: { progress, total, message },
}: {
  readonly progress: ToolProgress
}) {
  const share = total === undefined || total <= 0 ? undefined : Math.min(1, Math.max(0, progress / total))
  const count = describeCount(progress, total)
  return (
    <div className="flex flex-col gap-1.5 px-3 pt-1 pb-3">
      {share !== undefined && <progress aria-label="Progress" value={share} className="tool-progress" />}
      <p dir="auto" className="text-xs text-muted tabular-nums wrap-anywhere">
        {count}
        {message !== undefined && message !== '' && (
          <>
            {' - '}
            <InertText>{message}</InertText>
          </>
        )}
      </p>
    </div>
  )
}

/** Progress towards a total of 1 is shown as a percentage, any other as a count. */
function describeCount(progress: number, total: number | undefined): string {
  if (total === 1) return `${Math.round(Math.min(1, Math.max(0, progress)) * 100)} %`
  const numberFormat = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })
  return total === undefined
    ? numberFormat.format(progress)
    : `${numberFormat.format(progress)} of ${numberFormat.format(total)}`
}
