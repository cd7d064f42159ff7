import type { Integration } from '@yonder/contract/integration'
import { useState, type SubmitEvent } from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { TextInput } from '../../../ui/form/text-input.tsx'
import { useIsOpen } from '../../../lib/use-is-open.ts'
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
  const [reason, setReason] = useState<string>()
  const isStored = integration.api_key !== null
  const isBlank = key.trim() === ''
  const described = [reason !== undefined && `${id}-reason`, isStored && `${id}-hint`].filter(Boolean)

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (busy || (isBlank && !isStored)) return
    setBusy(true)
    setReason(undefined)
    const saved = await saveKey(integration, key.trim())
    setBusy(false)
    setReason(saved.reason)
    // It may have been left, and opened again for another key.
    if (saved.isKept && isOpen()) onClose()
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
          aria-describedby={described.length === 0 ? undefined : described.join(' ')}
          aria-invalid={reason !== undefined || undefined}
          placeholder="Enter API Key"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={4000}
          value={key}
          onChange={(event) => {
            setReason(undefined)
            setKey(event.target.value)
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose()
          }}
        />
        <Button type="submit" look="primary" busy={busy} disabled={isBlank && !isStored}>
          {busy ? 'Saving...' : 'Save'}
        </Button>
      </div>
      {reason !== undefined && (
        <p id={`${id}-reason`} role="alert" className="mt-1.5 text-xs text-danger wrap-anywhere">
          {reason}
        </p>
      )}
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
