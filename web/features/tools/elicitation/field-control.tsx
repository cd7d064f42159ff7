import type { ElicitationField } from '@yonder/contract/elicitation'
import type { RefCallback } from 'react'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { TextInput } from '../../../ui/form/text-input.tsx'
import { InertText } from '../../../ui/inert-text.tsx'
import type { FieldValue } from './field-values.ts'

export interface FieldControlProps {
  readonly field: ElicitationField
  readonly value: FieldValue
  readonly error: string | undefined
  readonly disabled: boolean
  readonly onChange: (value: FieldValue) => void
  /** Attached only to a control that can have an invalid value, so that the form can focus it. */
  readonly ref: RefCallback<HTMLElement>
}

const textTypes = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' } as const

/** A field of an elicitation. Its texts come from the tool's server. */
export function FieldControl({ field, value, error, disabled, onChange, ref }: FieldControlProps) {
  const { label, description, required } = field
  const hint = description === null ? undefined : <InertText>{description}</InertText>
  const chosen: readonly string[] = typeof value === 'object' ? value : []
  if (field.kind === 'switch')
    return (
      <Checkbox
        label={label}
        hint={hint}
        checked={value === true}
        disabled={disabled}
        onChange={(event) => onChange(event.target.checked)}
      />
    )
  if (field.kind === 'choice' && field.many)
    return (
      <fieldset className="flex flex-col gap-1.5" disabled={disabled}>
        <legend className="mb-1 text-sm font-medium">{label}</legend>
        {hint !== undefined && <p className="text-xs text-muted">{hint}</p>}
        {field.options.map((option) => (
          <Checkbox
            key={option.value}
            label={option.label}
            checked={chosen.includes(option.value)}
            onChange={({ target }) => {
              const others = chosen.filter((other) => other !== option.value)
              onChange(target.checked ? [...others, option.value] : others)
            }}
          />
        ))}
      </fieldset>
    )
  return (
    <Field label={label} required={required} hint={hint} error={error}>
      {field.kind === 'choice' ? (
        <Select
          ref={ref}
          disabled={disabled}
          // By index, because the value of an option can be any text, even an empty one.
          value={field.options.findIndex((option) => option.value === chosen[0])}
          onChange={(event) => {
            const option = field.options[Number(event.target.value)]
            onChange(option === undefined ? [] : [option.value])
          }}
        >
          <option value={-1} disabled={required}>
            {required ? 'Choose an option' : 'None'}
          </option>
          {field.options.map((option, index) => (
            <option key={option.value} value={index}>
              {option.label}
            </option>
          ))}
        </Select>
      ) : (
        <TextInput
          ref={ref}
          type={field.kind === 'number' ? 'number' : field.format === null ? 'text' : textTypes[field.format]}
          step={field.kind === 'number' ? (field.whole ? 1 : 'any') : undefined}
          value={String(value)}
          disabled={disabled}
          autoComplete="off"
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
