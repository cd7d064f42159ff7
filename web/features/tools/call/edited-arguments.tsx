import { InertText } from '../../../ui/inert-text.tsx'
import { ToolText } from '../../../ui/tool-text.tsx'
import { compareArguments, type ChangedArgument } from './argument-fields.ts'
import { indentJson } from './indent-json.ts'

export interface EditedArgumentsViewProps {
  readonly proposed: string
  readonly edited: string
  /** The label of the changed arguments, such as 'Will be sent'. */
  readonly label: string
}

/** The arguments that the user has changed, as the model proposed them and as they are sent; the others are left out. */
export function EditedArgumentsView({ proposed, edited, label }: EditedArgumentsViewProps) {
  const changes = compareArguments(proposed, edited)
  if (changes?.length === 0) return <p className="text-xs text-muted">Only the order or the spaces differ.</p>
  const join = (side: 'before' | 'after') => changes?.map((change) => lineOf(change, side)).join('\n')
  return (
    <div className="grid gap-2 sm:grid-cols-2">
      <Side label="Proposed" text={join('before') ?? indentJson(proposed)} />
      <Side label={label} text={join('after') ?? indentJson(edited)} />
    </div>
  )
}

function lineOf(change: ChangedArgument, side: 'before' | 'after'): string {
  return change[side] ?? `${JSON.stringify(change.name)} is absent`
}

function Side({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="min-w-0">
      <p className="mb-1 text-xs text-muted">{label}</p>
      <ToolText label={label}>
        <InertText>{text}</InertText>
      </ToolText>
    </div>
  )
}
