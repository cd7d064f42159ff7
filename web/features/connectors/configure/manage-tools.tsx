import type { ConnectorTool } from '@yonder/contract/connector'
import { addToolName } from './allow-draft.ts'
import type { AllowDraft } from './allow-draft.ts'
import { AllowEditor } from './allow-editor.tsx'
import { describeAllowed } from './describe-allowed.ts'
import { ToolSearch } from './tool-search.tsx'

export interface ManageToolsProps {
  readonly tools: readonly ConnectorTool[]
  readonly draft: AllowDraft
  readonly onChange: (draft: AllowDraft) => void
  /** Takes the focus when the last name was removed. */
  readonly onEmptied: () => void
}

/** The manage mode of the allowed tools (§2.70). */
export function ManageTools({ tools, draft, onChange, onEmptied }: ManageToolsProps) {
  return (
    <section className="flex flex-col gap-3">
      <h3 className="flex min-h-8 items-center text-sm font-medium">
        {describeAllowed(draft.everyTool ? null : draft.names)}
      </h3>
      <AllowEditor draft={draft} onChange={onChange} onEmptied={onEmptied}>
        {tools.length > 0 && (
          <ToolSearch
            tools={tools}
            allowed={draft.names}
            onAdd={(name) => onChange({ ...draft, names: addToolName(draft.names, name) })}
          />
        )}
      </AllowEditor>
    </section>
  )
}
