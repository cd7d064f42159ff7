import type { Bot, BotTestResult, LocalModels } from '@yonder/contract/bot'
import { useBotTest, useModelList } from '../../data/bot-checks.ts'
import { useSaveBot } from '../../data/bots.ts'
import { useForm } from '../../lib/use-form.ts'
import { Button } from '../../ui/button/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EditDialog } from '../../ui/dialog/form-dialog.tsx'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { Field } from '../../ui/form/field.tsx'
import { TextInput } from '../../ui/form/text-input.tsx'
import {
  checkBotDraft,
  draftOf,
  endpointOf,
  inputOf,
  ollamaDraft,
  toggleOptional,
  toggleOwnKey,
  type BotDraft,
  type CheckedField,
} from './bot-draft.ts'
import { OptionalFields, OwnKeyFields } from './bot-fields.tsx'
import { LocalModelChoices, ModelField } from './model-field.tsx'

export interface BotFormDialogProps {
  /** The bot to edit; without it the form creates a new bot. */
  readonly bot?: Bot
  /** The models of an Ollama that the server has found, to offer them for a new bot. */
  readonly local?: LocalModels['local'] | undefined
  /** Called when the bot was renamed. */
  readonly onRename?: ((name: string, next: string) => void) | undefined
  readonly onClose: () => void
}

/** Adds or edits a bot. */
export function BotFormDialog({ bot, local, onRename, onClose }: BotFormDialogProps) {
  const save = useSaveBot(bot, onRename)
  const form = useForm<BotDraft, CheckedField>({
    initial: () => draftOf(bot),
    check: (draft, control) => checkBotDraft(draft, (field) => isUnreadable(control(field))),
    submit: async (draft) => {
      if ((await save.run(inputOf(draft))).done) onClose()
    },
    // The form shows one message for all fields, so any change clears it.
    clears: 'all',
  })
  const { draft, problems } = form
  const models = useModelList()
  const test = useBotTest()
  const endpoint = () => endpointOf(draft, bot?.name)

  const change = (part: Partial<BotDraft>) => {
    // The result of a test is valid only for the draft that was tested.
    test.clear()
    form.change(part)
  }

  const runTest = () => {
    const model = draft.model.trim()
    if (model === '') form.report({ model: 'Please fill in all required fields' })
    else test.run({ ...endpoint(), model, title_model: draft.titleModel.trim() || null })
  }

  return (
    <EditDialog
      form={form}
      title={bot === undefined ? 'Add New Bot' : 'Edit Bot'}
      action="Save"
      onClose={onClose}
      footer={
        <>
          <FooterMessage problem={Object.values(problems)[0]} result={test.result} />
          <span className="mr-auto grid min-w-22">
            <Button busy={test.pending} onClick={runTest}>
              {test.pending ? 'Testing...' : 'Test'}
            </Button>
          </span>
        </>
      }
    >
      <Field label="Name" required>
        <TextInput
          ref={form.ref('name')}
          autoComplete="off"
          maxLength={200}
          aria-invalid={problems.name !== undefined || undefined}
          value={draft.name}
          onChange={(event) => change({ name: event.target.value })}
        />
      </Field>
      {local && (
        <LocalModelChoices local={local} onChoose={(model) => change(ollamaDraft(local.base_url, model))} />
      )}
      <ModelField
        value={draft.model}
        list={models.list}
        isInvalid={problems.model !== undefined}
        inputRef={form.ref('model')}
        onFocus={() => models.load(endpoint())}
        onChange={(model) => change({ model })}
      />
      <Checkbox
        label="Provide your own key"
        hint="The admin of this site can see it, so use a key with a credit limit."
        checked={draft.showsOwnKey}
        onChange={() => change(toggleOwnKey(draft))}
      />
      {draft.showsOwnKey && <OwnKeyFields draft={draft} onChange={change} stored={bot} />}
      <Checkbox
        label="Optional settings"
        checked={draft.showsOptional}
        onChange={() => change(toggleOptional(draft))}
      />
      {draft.showsOptional && (
        <OptionalFields
          draft={draft}
          onChange={change}
          form={form}
          models={models.list}
          onModelsNeeded={() => models.load(endpoint())}
        />
      )}
    </EditDialog>
  )
}

interface FooterMessageProps {
  readonly problem: string | undefined
  readonly result: BotTestResult | undefined
}

/** Shown above the buttons, since inside a long form it could be scrolled out of view. */
function FooterMessage({ problem, result }: FooterMessageProps) {
  const tone = result?.works === true ? 'text-success' : 'text-danger'
  return (
    <>
      <p role="alert" className="w-full text-sm text-danger empty:hidden">
        {problem}
      </p>
      <output
        className={classNames(
          'block max-h-40 w-full overflow-y-auto text-sm wrap-anywhere empty:sr-only',
          tone,
        )}
      >
        {problem === undefined ? result?.message : undefined}
      </output>
    </>
  )
}

/** Whether the browser cannot parse the number in a field. */
function isUnreadable(control: HTMLElement | undefined): boolean {
  return control instanceof HTMLInputElement && control.validity.badInput
}
