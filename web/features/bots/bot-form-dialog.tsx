import type { Bot, BotInput } from '@yonder/contract/bot'
import { useId, useState, type SubmitEvent } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../ui/button/button.tsx'
import { Checkbox } from '../../ui/form/checkbox.tsx'
import { Dialog } from '../../ui/dialog/dialog.tsx'
import { Field } from '../../ui/form/field.tsx'
import { TextInput } from '../../ui/form/text-input.tsx'
import { draftOf, inputOf, toggleOptional, toggleOwnKey } from './bot-draft.ts'
import type { BotDraft } from './bot-draft.ts'
import { OptionalFields, OwnKeyFields } from './bot-fields.tsx'
import { checkBotDraft } from './check-bot-draft.ts'
import type { DraftProblem } from './check-bot-draft.ts'

export interface BotFormDialogProps {
  /** The bot to edit; without one the form makes a new one. */
  readonly bot?: Bot | undefined
  /** Answers whether it is stored; what failed has been told by then. */
  readonly onSave: (input: BotInput) => Promise<boolean>
  readonly onClose: () => void
}

/** Adds or edits a bot (§2.53). */
export function BotFormDialog({ bot, onSave, onClose }: BotFormDialogProps) {
  const form = useId()
  const [draft, setDraft] = useState(() => draftOf(bot))
  const [problem, setProblem] = useState<DraftProblem>()
  const [busy, setBusy] = useState(false)

  const change = (part: Partial<BotDraft>) => {
    setProblem(undefined)
    setDraft((current) => ({ ...current, ...part }))
  }

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (busy) return
    const found = checkBotDraft(readUnreadableNumber(event.currentTarget, draft))
    // The message makes the footer higher: only then is it known what it leaves in sight.
    flushSync(() => setProblem(found))
    if (found !== undefined) {
      const control = findControl(event.currentTarget, found.field)
      control?.focus()
      // Whoever is in the field already is not taken there by the focus.
      control?.scrollIntoView({ block: 'nearest' })
      return
    }
    setBusy(true)
    if (await onSave(inputOf(draft))) onClose()
    else setBusy(false)
  }

  return (
    <Dialog
      title={bot === undefined ? 'Add New Bot' : 'Edit Bot'}
      onClose={onClose}
      footer={
        <>
          {/* Beside the buttons, since a long form would scroll it out of sight. */}
          <p
            role="alert"
            className="mr-auto self-center text-sm text-danger max-sm:basis-full max-sm:empty:hidden"
          >
            {problem?.message}
          </p>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} look="primary" busy={busy}>
            {busy ? 'Saving...' : 'Save'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        onSubmit={(event) => void submit(event)}
        className="flex flex-col gap-4 pt-1"
      >
        <Field label="Name" required>
          <TextInput
            name="name"
            autoComplete="off"
            maxLength={200}
            aria-invalid={isMissing(problem, draft.name) || undefined}
            value={draft.name}
            onChange={(event) => change({ name: event.target.value })}
          />
        </Field>
        <Field label="Model" required hint="As its provider calls it.">
          <TextInput
            name="model"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            maxLength={300}
            aria-invalid={isMissing(problem, draft.model) || undefined}
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
          <OptionalFields draft={draft} onChange={change} tokensWrong={problem?.field === 'maxTokens'} />
        )}
      </form>
    </Dialog>
  )
}

function isMissing(problem: DraftProblem | undefined, text: string): boolean {
  return problem !== undefined && problem.field !== 'maxTokens' && text.trim() === ''
}

function findControl(form: HTMLFormElement, name: string): HTMLInputElement | undefined {
  const control = form.elements.namedItem(name)
  return control instanceof HTMLInputElement ? control : undefined
}

/** A number field gives no text for what it cannot read, such as "1e"; it must not count as empty. */
function readUnreadableNumber(form: HTMLFormElement, draft: BotDraft): BotDraft {
  return findControl(form, 'maxTokens')?.validity.badInput === true
    ? { ...draft, maxTokens: 'unreadable' }
    : draft
}
