import type { Connector } from '@yonder/contract/connector'
import { Button } from '../../../ui/button/button.tsx'
import { ConsentBadge } from './consent-badge.tsx'
import { describeAllowed } from './describe-allowed.ts'
import { ToolChips } from './tool-chips.tsx'

export interface AllowSummaryProps {
  readonly connector: Connector
  readonly onManage: () => void
}

/** Which tools run without asking, to be read (§2.69, §2.72). */
export function AllowSummary({ connector: { allow_tools, tools }, onManage }: AllowSummaryProps) {
  const missing = tools.length === 0 ? [] : (allow_tools ?? []).filter(isMissing)

  function isMissing(name: string): boolean {
    return !tools.some((tool) => tool.name === name)
  }

  return (
    <section className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-4">
        <h3 className="text-sm font-medium">{describeAllowed(allow_tools)}</h3>
        <Button size="small" initialFocus onClick={onManage}>
          Manage
        </Button>
      </div>
      {allow_tools === null || allow_tools.length === 0 ? (
        <ConsentBadge everyTool={allow_tools === null} />
      ) : (
        <ToolChips names={allow_tools} />
      )}
      {missing.length > 0 && (
        <p className="text-xs text-muted wrap-anywhere">Not among its tools now: {missing.join(', ')}</p>
      )}
    </section>
  )
}
