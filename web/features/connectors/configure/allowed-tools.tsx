import type { Connector, ConnectorTool } from '@yonder/contract/connector'
import { Button } from '../../../ui/button/button.tsx'
import { InertText } from '../../../ui/inert-text.tsx'
import { withAllowed, type AllowDraft, type ToolsDraft } from './allow-draft.ts'
import { AllowEditor, ApprovalBadge, ToolChips } from './allow-editor.tsx'
import { ToolSearch } from './tool-search.tsx'

export interface AllowSummaryProps {
  readonly connector: Connector
  readonly onManage: () => void
}

/** Shows which tools run without approval. */
export function AllowSummary({ connector: { allow_tools, tools }, onManage }: AllowSummaryProps) {
  // Before the first connection no tools are known, and no name counts as missing.
  const known = new Set(tools.map(({ name }) => name))
  const missing = known.size === 0 ? [] : (allow_tools ?? []).filter((name) => !known.has(name))

  return (
    <section className="flex flex-col gap-3">
      <div className="flex items-center justify-between gap-4">
        <h3 className="text-sm font-medium">{describeAllowed(allow_tools)}</h3>
        <Button size="small" data-initial-focus onClick={onManage}>
          Manage
        </Button>
      </div>
      {allow_tools === null || allow_tools.length === 0 ? (
        <ApprovalBadge allowsEveryTool={allow_tools === null} />
      ) : (
        <ToolChips names={allow_tools} />
      )}
      {missing.length > 0 && (
        <p className="text-xs text-muted wrap-anywhere">
          Allowed, but not offered by the connector now: <InertText>{missing.join(', ')}</InertText>
        </p>
      )}
    </section>
  )
}

export interface ManageToolsProps {
  readonly tools: readonly ConnectorTool[]
  readonly draft: ToolsDraft
  readonly onChange: (draft: ToolsDraft) => void
  /** Called when no name is left after a removal, to move the focus. */
  readonly onEmptied: () => void
}

/** The manage mode of the allowed tools. */
export function ManageTools({ tools, draft, onChange, onEmptied }: ManageToolsProps) {
  const { allow } = draft
  const changeAllowed = (changed: AllowDraft) => onChange(withAllowed(draft, changed))
  return (
    <section className="flex flex-col gap-3">
      <h3 className="flex min-h-8 items-center text-sm font-medium">
        {describeAllowed(allow.allowsEveryTool ? null : allow.names)}
      </h3>
      <AllowEditor draft={allow} onChange={changeAllowed} onEmptied={onEmptied}>
        {tools.length > 0 && (
          <ToolSearch
            tools={tools}
            allowed={allow.names}
            onAdd={(name) => changeAllowed({ ...allow, names: [...allow.names, name] })}
          />
        )}
      </AllowEditor>
    </section>
  )
}

/** The heading of the allowed tools; null means every tool. */
function describeAllowed(names: readonly string[] | null): string {
  return `Allowed Tools (${names === null ? 'all' : names.length})`
}
