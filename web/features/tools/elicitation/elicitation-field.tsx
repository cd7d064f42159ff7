import type { ElicitationField } from '@yonder/contract/elicitation'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { TextInput } from '../../../ui/form/text-input.tsx'
import { InertText } from '../call/inert-text.tsx'
import type { QuestionEntry } from './elicitation-entry.ts'

export interface QuestionFieldProps {
  readonly field: ElicitationField
  readonly entry: QuestionEntry
  readonly error: string | undefined
  readonly disabled: boolean
  readonly onChange: (entry: QuestionEntry) => void
}

const textTypes = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' } as const

/** A field of a question; its texts are the server's own. */
export function QuestionField({ field, entry, error, disabled, onChange }: QuestionFieldProps) {
  const { label, description, required } = field
  const hint = description === null ? undefined : <InertText>{description}</InertText>
  if (field.kind === 'switch')
    return (
      <Checkbox
        label={label}
        hint={hint}
        checked={entry === true}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
    )
  if (field.kind === 'choice' && field.many)
    return (
      <ManyChoices field={field} chosen={listOf(entry)} hint={hint} disabled={disabled} onChange={onChange} />
    )
  return (
    <Field label={label} required={required} hint={hint} error={error}>
      {field.kind === 'choice' ? (
        <Select
          disabled={disabled}
          value={field.options.findIndex(({ value }) => value === listOf(entry)[0])}
          onChange={(event) => {
            const option = field.options[Number(event.target.value)]
            onChange(option === undefined ? [] : [option.value])
          }}
        >
          <option value={-1} disabled={required}>
            {required ? 'Please choose' : 'No choice'}
          </option>
          {field.options.map((option, index) => (
            <option key={option.value} value={index}>
              {option.label}
            </option>
          ))}
        </Select>
      ) : (
        <TextInput
          type={field.kind === 'number' ? 'number' : field.format === null ? 'text' : textTypes[field.format]}
          step={field.kind === 'number' ? (field.whole ? 1 : 'any') : undefined}
          value={String(entry)}
          disabled={disabled}
          autoComplete="off"
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}

interface ManyChoicesProps {
  readonly field: Extract<ElicitationField, { kind: 'choice' }>
  readonly chosen: readonly string[]
  readonly hint: React.ReactNode
  readonly disabled: boolean
  readonly onChange: (chosen: readonly string[]) => void
}

function ManyChoices({ field, chosen, hint, disabled, onChange }: ManyChoicesProps) {
  return (
    <fieldset className="flex flex-col gap-1.5" disabled={disabled}>
      <legend className="mb-1 text-sm font-medium">{field.label}</legend>
      {hint !== undefined && <p className="text-xs text-muted">{hint}</p>}
      {field.options.map(({ value, label }) => (
        <Checkbox
          key={value}
          label={label}
          checked={chosen.includes(value)}
          onChange={({ target }) =>
            onChange(target.checked ? [...chosen, value] : chosen.filter((other) => other !== value))
          }
        />
      ))}
    </fieldset>
  )
}

function listOf(entry: QuestionEntry): readonly string[] {
  return typeof entry === 'object' ? entry : []
}
