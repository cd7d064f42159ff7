import type { LocalModels } from '@yonder/contract/bot'
import { maxModelChars } from '@yonder/contract/lib/bot-limits'
import { useId, type Ref } from 'react'
import type { ModelListState } from '../../data/bot-checks.ts'
import { formatCount } from '../../lib/format-usage.ts'
import { Button } from '../../ui/button/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { TextInput } from '../../ui/form/text-input.tsx'

export interface ModelInputProps {
  readonly value: string
  readonly list: ModelListState
  readonly isInvalid?: boolean
  readonly inputRef?: Ref<HTMLInputElement>
  readonly onChange: (model: string) => void
  /** Called when the user enters the field, which is when the list is needed. */
  readonly onFocus: () => void
}

/**
 * The name of a model, with the models of the provider as suggestions. The suggestions are a `datalist`, because the
 * dialog does not cut it off.
 */
export function ModelInput({ value, list, isInvalid, inputRef, onChange, onFocus }: ModelInputProps) {
  const id = useId()
  const models = list.kind === 'loaded' ? list.models : []
  return (
    <>
      <TextInput
        ref={inputRef}
        list={models.length === 0 ? undefined : id}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        maxLength={maxModelChars}
        aria-invalid={isInvalid || undefined}
        value={value}
        onFocus={onFocus}
        onChange={(event) => onChange(event.target.value)}
      />
      {models.length > 0 && (
        <datalist id={id}>
          {models.map((model) => (
            <option key={model} value={model}>
              {model}
            </option>
          ))}
        </datalist>
      )}
    </>
  )
}

/** The model that replies. */
export function ModelField(props: ModelInputProps) {
  return (
    <Field label="Model" required hint={<output>{describeList(props.list)}</output>}>
      <ModelInput {...props} />
    </Field>
  )
}

const plainHint = "The provider's name for the model."

/** One line where possible, because a second one would move the fields below. */
function describeList(list: ModelListState): string {
  if (list.kind === 'none') return plainHint
  if (list.kind === 'loading') return 'Loading the models...'
  const { models, omitted, problem } = list
  if (problem !== undefined) return problem
  const total = models.length + omitted
  if (total === 0) return 'The provider lists no models. Type the name.'
  if (omitted > 0)
    return `${formatCount(models.length)} of ${formatCount(total)} models are suggested; type any other.`
  return total === 1 ? '1 model is suggested.' : `${formatCount(total)} models are suggested.`
}

export interface LocalModelChoicesProps {
  readonly local: NonNullable<LocalModels['local']>
  readonly onChoose: (model: string) => void
}

/** More buttons than this would push the form out of view. */
const maxChoices = 6

/**
 * Buttons for the models of the Ollama server that Yonder's server has found, which may be on another machine.
 */
export function LocalModelChoices({ local, onChoose }: LocalModelChoicesProps) {
  const id = useId()
  const further = local.models.length - maxChoices
  return (
    <section aria-labelledby={id} className="flex flex-col gap-2 rounded-control bg-sunken p-3">
      <h3 id={id} className="text-sm font-medium">
        Models of Ollama at {new URL(local.base_url).host}
      </h3>
      <ul className="flex flex-wrap gap-2">
        {local.models.slice(0, maxChoices).map((model) => (
          <li key={model} className="max-w-full">
            <Button size="small" onClick={() => onChoose(model)}>
              <span className="max-w-64 truncate">{model}</span>
            </Button>
          </li>
        ))}
      </ul>
      <p className="text-xs text-muted">
        {further > 0
          ? `Choose a model to fill in its address. The model field then suggests ${formatCount(further)} more.`
          : 'Choose a model to fill in its address.'}
      </p>
    </section>
  )
}
