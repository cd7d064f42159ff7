import type { ReactNode } from 'react'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import type { AllowDraft } from './allow-draft.ts'
import { ConsentBadge } from './consent-badge.tsx'
import { ToolChips } from './tool-chips.tsx'

export interface AllowEditorProps {
  readonly draft: AllowDraft
  readonly onChange: (draft: AllowDraft) => void
  /** Takes the focus when the last name was removed. */
  readonly onEmptied: () => void
  /** How further names are added. */
  readonly children: ReactNode
}

/** Says which tools run without asking: all of them, or those on a list. */
export function AllowEditor({ draft, onChange, onEmptied, children }: AllowEditorProps) {
  return (
    <div className="flex flex-col gap-3">
      <Checkbox
        label="Run every tool without asking"
        hint="Even those that delete things, and any that are added later."
        checked={draft.everyTool}
        onChange={(event) => onChange({ ...draft, everyTool: event.target.checked })}
      />
      {!draft.everyTool && (
        <>
          {draft.names.length === 0 && <ConsentBadge everyTool={false} />}
          <ToolChips
            names={draft.names}
            onRemove={(removed) =>
              onChange({ ...draft, names: draft.names.filter((name) => name !== removed) })
            }
            onEmptied={onEmptied}
          />
          {children}
        </>
      )}
    </div>
  )
}
