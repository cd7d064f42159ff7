import type { ConnectorTool } from '@yonder/contract/connector'
import { useId, useRef } from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { TextInput } from '../../../ui/form/text-input.tsx'
import { addToolName } from '../configure/allow-draft.ts'
import { AllowEditor } from '../configure/allow-editor.tsx'
import type { ConnectorDraft } from './connector-draft.ts'

export interface AllowFieldsProps {
  readonly draft: ConnectorDraft
  /** The tools of the stored connector. */
  readonly tools: readonly ConnectorTool[]
  readonly addressChanged: boolean
  readonly onChange: (change: Partial<ConnectorDraft>) => void
}

/** The allowed tools in the connector form, typed by name. */
export function AllowFields({ draft, tools, addressChanged, onChange }: AllowFieldsProps) {
  const title = useId()
  const entry = useRef<HTMLInputElement>(null)

  const add = () => {
    onChange({
      allow: { ...draft.allow, names: addToolName(draft.allow.names, draft.toolName, tools) },
      toolName: '',
    })
    entry.current?.focus()
  }

  return (
    <fieldset aria-labelledby={title} className="flex flex-col gap-2">
      <p id={title} className="text-sm font-medium">
        Allowed Tools{draft.allow.allowsEveryTool || addressChanged ? '' : ` (${draft.allow.names.length})`}
      </p>
      {addressChanged ? (
        <p className="text-xs text-muted">
          The address changed, so the list of allowed tools will be removed when you save. At the new address
          every tool needs approval.
        </p>
      ) : (
        <AllowEditor
          draft={draft.allow}
          onChange={(allow) => onChange({ allow })}
          onEmptied={() => entry.current?.focus()}
        >
          <div className="flex gap-2">
            <TextInput
              ref={entry}
              aria-label="Name of a tool to allow"
              placeholder="Name of a tool"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              maxLength={200}
              value={draft.toolName}
              onChange={(event) => onChange({ toolName: event.target.value })}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
                // Enter adds the name instead of submitting the form.
                event.preventDefault()
                add()
              }}
            />
            <Button onClick={add}>Allow</Button>
          </div>
        </AllowEditor>
      )}
    </fieldset>
  )
}
