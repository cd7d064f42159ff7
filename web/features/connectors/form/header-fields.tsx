import { Plus, X } from 'lucide-react'
import { useId, useRef } from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { IconButton } from '../../../ui/button/icon-button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { SecretField } from '../../../ui/form/secret-field.tsx'
import { TextInput } from '../../../ui/form/text-input.tsx'
import type { HeaderDraft } from './connector-draft.ts'

export interface HeaderFieldsProps {
  readonly headers: readonly HeaderDraft[]
  readonly addressChanged: boolean
  readonly onChange: (headers: readonly HeaderDraft[]) => void
}

const maxHeaders = 20

/** The headers that a connector sends besides its token, or instead of it. */
export function HeaderFields({ headers, addressChanged, onChange }: HeaderFieldsProps) {
  const title = useId()
  const addButton = useRef<HTMLButtonElement>(null)
  const change = (at: number, changed: Partial<HeaderDraft>) =>
    onChange(headers.map((header, index) => (index === at ? { ...header, ...changed } : header)))
  const firstMissing = headers.findIndex(({ stored, value }) => stored === null && value === '')

  return (
    <fieldset aria-labelledby={title} className="flex flex-col gap-4 sm:gap-3">
      <div>
        <p id={title} className="text-sm font-medium">
          Headers
        </p>
        <p className="text-xs text-muted">
          For a server that takes its key in a header of its own, such as X-API-Key.
        </p>
      </div>
      {headers.map(({ row, name, value, stored }, at) => (
        <div key={row} className="flex items-start gap-2">
          <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-2">
            <Field label={`Header ${at + 1}`}>
              <TextInput
                autoComplete="off"
                autoCapitalize="off"
                spellCheck={false}
                maxLength={100}
                placeholder="X-API-Key"
                value={name}
                onChange={(event) => change(at, { name: event.target.value })}
              />
            </Field>
            <SecretField
              data-initial-focus={at === firstMissing || undefined}
              label={`Value ${at + 1}`}
              stored={stored}
              addressChanged={addressChanged}
              value={value}
              onChange={(event) => change(at, { value: event.target.value })}
            />
          </div>
          <div className="mt-6.5">
            <IconButton
              label={`Remove header ${at + 1}`}
              onClick={() => {
                onChange(headers.filter((_, index) => index !== at))
                addButton.current?.focus()
              }}
            >
              <X size={16} aria-hidden />
            </IconButton>
          </div>
        </div>
      ))}
      {headers.length < maxHeaders && (
        <div>
          <Button
            ref={addButton}
            size="small"
            onClick={() => {
              const row = Math.max(-1, ...headers.map((header) => header.row)) + 1
              onChange([...headers, { row, name: '', value: '', stored: null }])
            }}
          >
            <Plus size={14} aria-hidden />
            Add Header
          </Button>
        </div>
      )}
    </fieldset>
  )
}
