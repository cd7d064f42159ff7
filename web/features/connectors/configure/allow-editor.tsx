import { ShieldAlert, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import type { AllowDraft } from './allow-draft.ts'
import { ToolChips } from './tool-chips.tsx'

export interface AllowEditorProps {
  readonly draft: AllowDraft
  readonly onChange: (draft: AllowDraft) => void
  /** Called when no name is left after a removal, to move the focus. */
  readonly onEmptied: () => void
  /** The control that adds names. */
  readonly children: ReactNode
}

/** Edits which tools run without approval: all of them, or those on a list. */
export function AllowEditor({ draft, onChange, onEmptied, children }: AllowEditorProps) {
  return (
    <div className="flex flex-col gap-3">
      <Checkbox
        label="Run every tool without asking"
        hint="This includes tools that delete data and tools that the connector adds later."
        checked={draft.allowsEveryTool}
        onChange={(event) => onChange({ ...draft, allowsEveryTool: event.target.checked })}
      />
      {!draft.allowsEveryTool && (
        <>
          {draft.names.length === 0 && <ApprovalBadge allowsEveryTool={false} />}
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

/** The badge of a connector whose tools all need approval, or all run without approval. */
export function ApprovalBadge({ allowsEveryTool }: { readonly allowsEveryTool: boolean }) {
  const Icon = allowsEveryTool ? ShieldAlert : ShieldCheck
  return (
    <p
      className={`inline-flex w-fit items-center gap-1.5 rounded-full border border-line px-2.5 py-1 text-xs font-medium ${allowsEveryTool ? 'text-warning' : 'text-muted'}`}
    >
      <Icon size={14} aria-hidden />
      {allowsEveryTool ? 'Every tool runs without asking' : 'All tools need confirmation'}
    </p>
  )
}
