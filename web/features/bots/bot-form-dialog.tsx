import type { Bot } from '@yonder/contract/bot'
import { useId } from 'react'
import { useSaveBot } from '../../data/bots.ts'
import { useForm } from '../../lib/use-form.ts'
import { Button } from '../../ui/button/button.tsx'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { Field } from '../../ui/form/field.tsx'
import { TextInput } from '../../ui/form/text-input.tsx'
import { checkBotDraft, draftOf, inputOf, toggleOptional, toggleOwnKey } from './bot-draft.ts'
import type { BotDraft, CheckedField } from './bot-draft.ts'
import { OptionalFields, OwnKeyFields } from './bot-fields.tsx'

export interface BotFormDialogProps {
  /** The bot to edit; without it the form creates a new bot. */
  readonly bot?: Bot
  /** Called when the bot was renamed. */
  readonly onRename?: ((name: string, next: string) => void) | undefined
  readonly onClose: () => void
}

/** Adds or edits a bot (§2.53). */
export function BotFormDialog({ bot, onRename, onClose }: BotFormDialogProps) {
  const id = useId()
  const save = useSaveBot(bot, onRename)
  const form = useForm<BotDraft, CheckedField>({
    initial: () => draftOf(bot),
    check: (draft, control) => checkBotDraft(draft, isUnreadable(control('maxTokens'))),
    submit: async (draft) => {
      if ((await save.run(inputOf(draft))).done) onClose()
    },
    // The form shows one message for all fields, so any change clears it.
    clears: 'all',
  })
  const { draft, problems, change } = form

  return (
    <FormDialog
      changes={form.changes}
      title={bot === undefined ? 'Add New Bot' : 'Edit Bot'}
      onClose={onClose}
      footer={
        <>
          {/* Next to the buttons: inside a long form the message could be scrolled out of view. */}
          <p
            role="alert"
            className="mr-auto self-center text-sm text-danger max-sm:basis-full max-sm:empty:hidden"
          >
            {Object.values(problems)[0]}
          </p>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={id} look="primary" busy={form.pending}>
            {form.pending ? 'Saving...' : 'Save'}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={form.onSubmit} className="flex flex-col gap-4 pt-1">
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
        <Field label="Model" required hint="The provider's name for the model.">
          <TextInput
            ref={form.ref('model')}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={300}
            aria-invalid={problems.model !== undefined || undefined}
            value={draft.model}
            onChange={(event) => change({ model: event.target.value })}
          />
        </Field>
        <Checkbox
          label="Provide your own key"
          hint="The admin of this site can see it, so use a key with a credit limit."
          checked={draft.ownKey}
          onChange={() => change(toggleOwnKey(draft))}
        />
        {draft.ownKey && (
          <OwnKeyFields
            draft={draft}
            onChange={change}
            storedKey={bot?.api_key ?? null}
            storedUrl={bot?.base_url ?? null}
          />
        )}
        <Checkbox
          label="Optional settings"
          checked={draft.optional}
          onChange={() => change(toggleOptional(draft))}
        />
        {draft.optional && (
          <OptionalFields
            draft={draft}
            onChange={change}
            maxTokensRef={form.ref('maxTokens')}
            isMaxTokensWrong={problems.maxTokens !== undefined}
          />
        )}
      </form>
    </FormDialog>
  )
}

/** Whether the browser cannot parse the number in a field. */
function isUnreadable(control: HTMLElement | undefined): boolean {
  return control instanceof HTMLInputElement && control.validity.badInput
}
