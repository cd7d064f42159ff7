import type { Integration } from '@yonder/contract/integration'
import { useState, type SubmitEvent } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { useIsOpen } from '../../ui/use-is-open.ts'
import { useSaveKey } from './use-save-key.ts'

export interface KeyFormProps {
  readonly id: string
  readonly integration: Integration
  readonly onClose: () => void
}

/** The box for another key (§2.80). Saved empty, it removes the key that there is (§4.28). */
export function KeyForm({ id, integration, onClose }: KeyFormProps) {
  const saveKey = useSaveKey()
  const isOpen = useIsOpen()
  const [key, setKey] = useState('')
  const [busy, setBusy] = useState(false)
  const isStored = integration.api_key !== null
  const isBlank = key.trim() === ''

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (busy || (isBlank && !isStored)) return
    setBusy(true)
    const isSaved = await saveKey(integration, key.trim())
    setBusy(false)
    // It may have been left, and opened again for another key.
    if (isSaved && isOpen()) onClose()
  }

  return (
    <form
      id={id}
      onSubmit={(event) => void submit(event)}
      className="mt-3.5 animate-rise border-t border-line pt-3.5"
    >
      <div className="flex gap-2">
        <TextInput
          ref={focusAtOnce}
          aria-label="API Key"
          aria-describedby={isStored ? `${id}-hint` : undefined}
          placeholder="Enter API Key"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={4000}
          value={key}
          onChange={(event) => setKey(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose()
          }}
        />
        <Button type="submit" look="primary" busy={busy} disabled={isBlank && !isStored}>
          {busy ? 'Saving...' : 'Save'}
        </Button>
      </div>
      {isStored && (
        <p id={`${id}-hint`} className="mt-1.5 text-xs text-muted">
          Replaces the stored key. Save it empty to remove the key.
        </p>
      )}
    </form>
  )
}

/** Whoever opens the box wants to fill it. */
function focusAtOnce(input: HTMLInputElement | null): void {
  input?.focus()
}
