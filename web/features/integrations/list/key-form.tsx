import type { Integration } from '@yonder/contract/integration'
import { integrationLabels, useSaveKey } from '../../../data/integrations.ts'
import { readReason } from '../../../lib/api/api-error.ts'
import { useForm } from '../../../lib/use-form.ts'
import { useIsMounted } from '../../../lib/use-is-mounted.ts'
import { Button } from '../../../ui/button/button.tsx'
import { useDiscardQuestion } from '../../../ui/dialog/discard-question.tsx'
import { TextInput } from '../../../ui/form/text-input.tsx'
import { isCancelKey } from '../../../ui/shortcut/shortcut.ts'

export interface KeyFormProps {
  readonly id: string
  readonly integration: Integration
  readonly onClose: () => void
}

/** A form to add or replace the API key. Saving it empty removes a stored key. */
export function KeyForm({ id, integration, onClose }: KeyFormProps) {
  const save = useSaveKey(integration)
  const isMounted = useIsMounted()
  const isStored = integration.api_key !== null
  const { draft, problems, pending, changes, change, onSubmit } = useForm<{ readonly key: string }, 'key'>({
    initial: () => ({ key: '' }),
    check: () => ({}),
    submit: async ({ key }) => {
      if (key.trim() === '' && !isStored) return undefined
      const result = await save.run(key.trim())
      if (!result.done && result.error !== undefined)
        return { key: readReason(result.error, integrationLabels) }
      // The user can have closed this form meanwhile and opened it again.
      if (result.done && isMounted()) onClose()
      return undefined
    },
  })
  const { requestClose, question } = useDiscardQuestion(changes, onClose)
  const isBlank = draft.key.trim() === ''
  const describedBy = [problems.key !== undefined && `${id}-reason`, isStored && `${id}-hint`].filter(Boolean)

  return (
    <form id={id} onSubmit={onSubmit} className="mt-3.5 animate-rise border-t border-line pt-3.5">
      <div className="flex gap-2">
        <TextInput
          ref={focusOnMount}
          aria-label="API Key"
          aria-describedby={describedBy.length === 0 ? undefined : describedBy.join(' ')}
          aria-invalid={problems.key !== undefined || undefined}
          placeholder="Enter API Key"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={4000}
          value={draft.key}
          onChange={(event) => change({ key: event.target.value })}
          onKeyDown={(event) => {
            if (!isCancelKey(event)) return
            // Otherwise the same key press would also close the discard question that it opens.
            event.preventDefault()
            requestClose()
          }}
        />
        <Button type="submit" look="primary" busy={pending} disabled={isBlank && !isStored}>
          {pending ? 'Saving...' : 'Save'}
        </Button>
      </div>
      {problems.key !== undefined && (
        <p id={`${id}-reason`} role="alert" className="mt-1.5 text-xs text-danger wrap-anywhere">
          {problems.key}
        </p>
      )}
      {isStored && (
        <p id={`${id}-hint`} className="mt-1.5 text-xs text-muted">
          A new key replaces the stored one. To remove the stored key, leave the field empty and save.
        </p>
      )}
      {question}
    </form>
  )
}

/** Focuses the text box when the form opens, since the user opened the form to type a key. */
function focusOnMount(input: HTMLInputElement | null): void {
  input?.focus()
}
