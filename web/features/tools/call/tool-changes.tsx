import type { ToolChange } from '@yonder/contract/tool-call'
import { TriangleAlert } from 'lucide-react'
import { indentJson } from './indent-json.ts'
import { InertText } from './inert-text.tsx'

const names: Readonly<Record<ToolChange['what'], string>> = {
  title: 'Title',
  description: 'Description',
  input: 'Input',
  output: 'Output',
  annotations: 'Hints',
  other: 'Something else',
}

/** The differences between a tool and the version that the user allowed (§13.6). */
export function ToolChanges({ changes }: { readonly changes: readonly ToolChange[] }) {
  return (
    <div className="flex flex-col gap-3">
      <p className="flex items-start gap-2 font-medium text-warning">
        <TriangleAlert size={16} aria-hidden className="mt-0.5 shrink-0" />
        This tool has changed since you allowed it
      </p>
      {changes.map(({ what, before, after }) => (
        <div key={what} className="flex flex-col gap-1">
          <p className="text-xs font-medium">{names[what]}</p>
          {before === null && after === null ? (
            <p className="text-xs text-muted">Its earlier value is unknown.</p>
          ) : (
            <div className="tool-changes">
              <Version label="Before" text={before} />
              <Version label="Now" text={after} />
            </div>
          )}
        </div>
      ))}
    </div>
  )
}

function Version({ label, text }: { readonly label: string; readonly text: string | null }) {
  return (
    <div className="min-w-0">
      <p className="mb-1 text-xs text-muted">{label}</p>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long text scrolls with the keyboard too */}
      <pre tabIndex={0} aria-label={label} className="tool-text">
        {text === null ? (
          <span className="text-muted">Nothing</span>
        ) : (
          <InertText>{indentJson(text)}</InertText>
        )}
      </pre>
    </div>
  )
}
