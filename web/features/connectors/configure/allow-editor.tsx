import { ShieldAlert, ShieldCheck, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { ToolName } from '../../../ui/inert-text.tsx'
import type { AllowDraft } from './allow-draft.ts'

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

interface ToolChipsProps {
  readonly names: readonly string[]
  /** Removes a name; without it the chips have no remove buttons. */
  readonly onRemove?: (name: string) => void
  /** Called when no chip is left after a removal, to move the focus. */
  readonly onEmptied?: () => void
}

/** Tool names as chips. */
export function ToolChips({ names, onRemove, onEmptied }: ToolChipsProps) {
  const remove = (name: string, button: HTMLElement) => {
    const chip = button.closest('li')
    // The focused button is removed with its chip, so the focus moves to the next chip, else to the previous one.
    const neighbour = chip?.nextElementSibling ?? chip?.previousElementSibling
    flushSync(() => onRemove?.(name))
    if (neighbour) neighbour.querySelector('button')?.focus()
    else onEmptied?.()
  }

  if (names.length === 0) return null
  return (
    <ul aria-label="Allowed tools" className="flex flex-wrap gap-1.5">
      {names.map((name) => (
        <li
          key={name}
          className="flex max-w-full min-w-0 items-center gap-0.5 rounded-control bg-hover pl-2.5 text-xs"
        >
          <bdi className="py-1.5 pr-2 font-mono wrap-anywhere">
            <ToolName>{name}</ToolName>
          </bdi>
          {onRemove !== undefined && (
            <button
              type="button"
              aria-label={`Remove ${name}`}
              onClick={({ currentTarget }) => remove(name, currentTarget)}
              className="touch-target -ml-1.5 inline-flex size-7 shrink-0 items-center justify-center rounded-control text-muted transition-colors hover:bg-pressed hover:text-ink"
            >
              <X size={13} aria-hidden />
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}
