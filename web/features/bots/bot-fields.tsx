import type { ApiType, Bot, InputChoice, ReasoningEffort } from '@yonder/contract/bot'
import type { ModelListState } from '../../data/bot-checks.ts'
import type { Form } from '../../lib/use-form.ts'
import { Field } from '../../ui/form/field.tsx'
import { SecretField } from '../../ui/form/secret-field.tsx'
import { NamedOptions, Select } from '../../ui/form/select.tsx'
import { TextArea } from '../../ui/form/text-area.tsx'
import { TextInput } from '../../ui/form/text-input.tsx'
import {
  describeLength,
  numberFields,
  type BotDraft,
  type CheckedField,
  type NumberField,
} from './bot-draft.ts'
import { ConnectorChoiceFields } from './connector-choice-fields.tsx'
import { ModelInput } from './model-field.tsx'

interface BotFieldsProps {
  readonly draft: BotDraft
  readonly onChange: (change: Partial<BotDraft>) => void
}

const apiTypeNames: Readonly<Record<ApiType, string>> = {
  openai: 'OpenAI-compatible',
  'openai-responses': 'OpenAI Responses',
  anthropic: 'Anthropic',
  google: 'Google',
}

const effortNames: Readonly<Record<ReasoningEffort, string>> = {
  minimal: 'Minimal',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
}

const inputNames: Readonly<Record<InputChoice, string>> = { yes: 'Yes', no: 'No' }

/** The classes of a group of fields that the checkbox above it shows or hides. */
const group = 'ml-2 flex animate-rise flex-col gap-4 border-l border-line pl-4'

export interface OwnKeyFieldsProps extends BotFieldsProps {
  /** The bot that is edited. */
  readonly stored: Bot | undefined
}

/** The address of the model's provider, and the key for it. */
export function OwnKeyFields({ draft, onChange, stored }: OwnKeyFieldsProps) {
  return (
    <div className={group}>
      <Field label="Base URL" hint="Leave it empty to use this site's own provider.">
        <TextInput
          type="url"
          inputMode="url"
          autoComplete="off"
          placeholder="https://api.example.com/v1"
          value={draft.baseUrl}
          onChange={(event) => onChange({ baseUrl: event.target.value })}
        />
      </Field>
      <SecretField
        label="API key"
        noun="key"
        stored={stored?.api_key ?? null}
        addressChanged={draft.baseUrl.trim() !== (stored?.base_url ?? '')}
        value={draft.apiKey}
        onChange={(event) => onChange({ apiKey: event.target.value })}
      />
    </div>
  )
}

export interface OptionalFieldsProps extends BotFieldsProps {
  readonly form: Pick<Form<BotDraft, CheckedField>, 'ref' | 'problems'>
  readonly models: ModelListState
  /** Called when a field needs the list of models. */
  readonly onModelsNeeded: () => void
}

/** How the model is called and how it behaves. */
export function OptionalFields(props: OptionalFieldsProps) {
  const { draft, onChange, models, onModelsNeeded } = props
  return (
    <div className={group}>
      <InstructionsField {...props} />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberInput {...props} field="temperature" hint="0 to 2. Lower is more predictable." />
        <NumberInput {...props} field="topP" hint="0 to 1. Set this or the temperature." />
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
      <Field label="API type">
        <Select
          value={draft.apiType}
          onChange={(event) => onChange({ apiType: event.target.value as BotDraft['apiType'] })}
        >
          <option value="">Default (OpenAI-compatible)</option>
          <NamedOptions names={apiTypeNames} />
        </Select>
      </Field>
      <Field label="Custom API path" hint="Replaces the path that the API type adds to the address.">
        <TextInput
          autoComplete="off"
          placeholder="/chat/completions"
          value={draft.customApiPath}
          onChange={(event) => onChange({ customApiPath: event.target.value })}
        />
      </Field>
      <NumberInput
        {...props}
        field="maxTokens"
        hint="The maximum length of a reply. Leave it empty to set no limit of your own."
      />
      <NumberInput
        {...props}
        field="contextWindow"
        hint="How many tokens the model can read. Long chats are shortened to fit. Leave it empty for a known model."
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <InputSelect {...props} field="images" label="Pictures" hint="Whether the model can see pictures." />
        <InputSelect
          {...props}
          field="pdf"
          label="PDF files"
          hint="Whether the model reads them itself. Otherwise it gets their text."
        />
      </div>
      <Field
        label="Title model"
        hint="Names each new chat, with one short request to this bot's provider that is counted as usage. Leave it empty to use the beginning of the first message."
      >
        <ModelInput
          value={draft.titleModel}
          list={models}
          onFocus={onModelsNeeded}
          onChange={(titleModel) => onChange({ titleModel })}
        />
      </Field>
      <ConnectorChoiceFields choice={draft.connectors} onChange={(connectors) => onChange({ connectors })} />
    </div>
  )
}

/** The system prompt of the bot. */
function InstructionsField({ draft, onChange, form }: OptionalFieldsProps) {
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

interface InputSelectProps extends BotFieldsProps {
  readonly field: 'images' | 'pdf'
  readonly label: string
  readonly hint: string
}

/** Whether the model is given files of a kind; automatic for a model that is known. */
function InputSelect({ draft, onChange, field, label, hint }: InputSelectProps) {
  return (
    <Field label={label} hint={hint}>
      <Select
        value={draft[field]}
        onChange={(event) => onChange({ [field]: event.target.value as BotDraft[typeof field] })}
      >
        <option value="">Automatic</option>
        <NamedOptions names={inputNames} />
      </Select>
    </Field>
  )
}

interface NumberInputProps extends OptionalFieldsProps {
  readonly field: NumberField
  readonly hint: string
}

/** A setting of the bot that is a number; empty when it is not set. */
function NumberInput({ draft, onChange, form, field, hint }: NumberInputProps) {
  const { label, range, kind } = numberFields[field]
  const isWhole = kind === 'a whole number'
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
