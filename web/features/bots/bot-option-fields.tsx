import type { ReasoningEffort } from '@yonder/contract/bot'
import { botLimits } from '@yonder/contract/lib/bot-limits'
import type { Form } from '../../lib/use-form.ts'
import { Field } from '../../ui/form/field.tsx'
import { Select } from '../../ui/form/select.tsx'
import { TextArea } from '../../ui/form/text-area.tsx'
import { TextInput } from '../../ui/form/text-input.tsx'
import { describeLength, type BotDraft, type CheckedField, type NumberField } from './bot-draft.ts'
import { NamedOptions } from './named-options.tsx'

export interface BotFieldsProps {
  readonly draft: BotDraft
  readonly onChange: (change: Partial<BotDraft>) => void
}

export interface OptionFieldsProps extends BotFieldsProps {
  readonly form: Pick<Form<BotDraft, CheckedField>, 'ref' | 'problems'>
}

/** The system prompt of the bot. */
export function InstructionsField({ draft, onChange, form }: OptionFieldsProps) {
  const length = describeLength(draft)
  return (
    <Field
      label="Instructions"
      hint={
        <>
          How the bot should behave. {'{{user}}'}, {'{{date}}'} and {'{{time_zone}}'} are filled in for each
          reply. <output>{length}</output>
        </>
      }
    >
      <TextArea
        ref={form.ref('instructions')}
        aria-invalid={form.problems.instructions !== undefined || undefined}
        value={draft.instructions}
        onChange={(event) => onChange({ instructions: event.target.value })}
      />
    </Field>
  )
}

const effortNames: Readonly<Record<ReasoningEffort, string>> = {
  minimal: 'Minimal',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
}

/** The temperature, top-p and reasoning effort. */
export function SamplingFields(props: OptionFieldsProps) {
  const { draft, onChange } = props
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberInput
          {...props}
          field="temperature"
          label="Temperature"
          hint="0 to 2. Lower is more predictable."
          range={botLimits.temperature}
        />
        <NumberInput
          {...props}
          field="topP"
          label="Top-p"
          hint="0 to 1. Set this or the temperature."
          range={botLimits.top_p}
        />
      </div>
      <Field label="Reasoning effort" hint="How much a reasoning model thinks before it replies.">
        <Select
          value={draft.reasoningEffort}
          onChange={(event) =>
            onChange({ reasoningEffort: event.target.value as BotDraft['reasoningEffort'] })
          }
        >
          <option value="">Provider&apos;s default</option>
          <NamedOptions names={effortNames} />
        </Select>
      </Field>
    </>
  )
}

interface NumberInputProps extends OptionFieldsProps {
  readonly field: NumberField
  readonly label: string
  readonly hint: string
  readonly range: { readonly min: number; readonly max: number }
  readonly isWhole?: boolean
}

/** A setting of the bot that is a number; empty when it is not set. */
export function NumberInput({
  draft,
  onChange,
  form,
  field,
  label,
  hint,
  range,
  isWhole = false,
}: NumberInputProps) {
  return (
    <Field label={label} hint={hint}>
      <TextInput
        ref={form.ref(field)}
        type="number"
        inputMode={isWhole ? 'numeric' : 'decimal'}
        min={range.min}
        max={range.max}
        step={isWhole ? 1 : 0.1}
        aria-invalid={form.problems[field] !== undefined || undefined}
        value={draft[field]}
        onChange={(event) => onChange({ [field]: event.target.value })}
      />
    </Field>
  )
}
