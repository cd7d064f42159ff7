import type { ApiType } from '@yonder/contract/bot'
import { botLimits } from '@yonder/contract/lib/bot-limits'
import { Field } from '../../ui/form/field.tsx'
import { SecretField } from '../../ui/form/secret-field.tsx'
import { Select } from '../../ui/form/select.tsx'
import { TextInput } from '../../ui/form/text-input.tsx'
import type { BotDraft } from './bot-draft.ts'
import {
  InstructionsField,
  NumberInput,
  SamplingFields,
  type BotFieldsProps,
  type OptionFieldsProps,
} from './bot-option-fields.tsx'
import { ConnectorChoiceFields } from './connector-choice-fields.tsx'
import { NamedOptions } from './named-options.tsx'

const apiTypeNames: Readonly<Record<ApiType, string>> = {
  openai: 'OpenAI-compatible',
  'openai-responses': 'OpenAI Responses',
  anthropic: 'Anthropic',
  google: 'Google',
}

/** The classes of a group of fields that the checkbox above it shows or hides. */
const group = 'ml-2 flex animate-rise flex-col gap-4 border-l border-line pl-4'

export interface OwnKeyFieldsProps extends BotFieldsProps {
  /** The mask of the stored key, if a key is stored. */
  readonly storedKey: string | null
  readonly storedUrl: string | null
}

/** The address of the model's provider, and the key for it. */
export function OwnKeyFields({ draft, onChange, storedKey, storedUrl }: OwnKeyFieldsProps) {
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
        stored={storedKey}
        addressChanged={draft.baseUrl.trim() !== (storedUrl ?? '')}
        value={draft.apiKey}
        onChange={(event) => onChange({ apiKey: event.target.value })}
      />
    </div>
  )
}

/** How the model is called and how it behaves. */
export function OptionalFields(props: OptionFieldsProps) {
  const { draft, onChange } = props
  return (
    <div className={group}>
      <InstructionsField {...props} />
      <SamplingFields {...props} />
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
        label="Max tokens"
        hint="The maximum length of a reply. Leave it empty to set no limit of your own."
        range={botLimits.max_tokens}
        isWhole
      />
      <NumberInput
        {...props}
        field="contextWindow"
        label="Context window"
        hint="How many tokens the model can read. Long chats are shortened to fit. Leave it empty for a known model."
        range={botLimits.context_window}
        isWhole
      />
      <ConnectorChoiceFields choice={draft.connectors} onChange={(connectors) => onChange({ connectors })} />
    </div>
  )
}
