import { maxReasonChars } from '@yonder/contract/lib/call-limits'
import type { GrantLimits } from '@yonder/contract/tool-call'
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import { Button } from '../../../ui/button/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { Select } from '../../../ui/form/select.tsx'
import { TextArea } from '../../../ui/form/text-area.tsx'
import { TextInput } from '../../../ui/form/text-input.tsx'
import { InertText } from '../../../ui/inert-text.tsx'
import type { TextArgument } from './argument-fields.ts'

export interface ReasonFormProps {
  readonly disabled: boolean
  /** Called without a reason if the user has written none. */
  readonly onDeny: (reason: string | undefined) => void
  readonly onBack: () => void
}

/** Asks what the model should know about the denial of a call. */
export function ReasonForm({ disabled, onDeny, onBack }: ReasonFormProps) {
  const [reason, setReason] = useState('')
  const deny = () => {
    if (!disabled) onDeny(reason.trim() === '' ? undefined : reason.trim())
  }
  return (
    <DecisionForm onSubmit={deny} onBack={onBack}>
      <Field label="What should the model know?">
        <TextArea
          value={reason}
          maxLength={maxReasonChars}
          onChange={({ target }) => setReason(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            deny()
          }}
        />
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" disabled={disabled}>
          Deny and tell
        </Button>
        <Button look="plain" onClick={onBack}>
          Back
        </Button>
      </div>
    </DecisionForm>
  )
}

type Rule = NonNullable<GrantLimits['rule']>

export interface RuleFormProps {
  /** The arguments by which the grant can be limited; at least one. */
  readonly texts: readonly TextArgument[]
  readonly busy: boolean
  readonly disabled: boolean
  readonly onAllow: (rule: Rule) => void
  readonly onBack: () => void
}

/** Asks what one of the arguments must be, so that the tool runs without asking. */
export function RuleForm({ texts, busy, disabled, onAllow, onBack }: RuleFormProps) {
  const [chosen, setChosen] = useState(texts[0])
  const [test, setTest] = useState<Rule['test']>('equals')
  const [beginning, setBeginning] = useState(texts[0]?.value ?? '')
  const group = useId()
  if (chosen === undefined) return null
  const value = test === 'equals' ? chosen.value : beginning
  return (
    <DecisionForm
      onSubmit={() => {
        if (value !== '') onAllow({ argument: chosen.name, test, value })
      }}
      onBack={onBack}
    >
      <fieldset className="flex flex-col gap-1.5">
        <legend className="mb-1 text-sm font-medium">Always, but only with</legend>
        {texts.map((argument) => (
          <label key={argument.name} className="flex items-start gap-2.5 pointer-coarse:py-2.5">
            <input
              type="radio"
              name={group}
              checked={argument === chosen}
              onChange={() => {
                setChosen(argument)
                setBeginning(argument.value)
              }}
              aria-label={`${argument.name} = ${argument.value}`}
              className="mt-0.5 size-4 shrink-0 pointer-coarse:size-5"
            />
            <code className="min-w-0 font-mono text-xs wrap-anywhere">
              <InertText>{`${argument.name} = ${argument.value}`}</InertText>
            </code>
          </label>
        ))}
      </fieldset>
      <div className="grid gap-2 sm:grid-cols-2">
        <Select
          aria-label="How the argument is compared"
          value={test}
          onChange={({ target }) => setTest(target.value === 'begins' ? 'begins' : 'equals')}
        >
          <option value="equals">is exactly this</option>
          <option value="begins">begins with</option>
        </Select>
        {test === 'begins' && (
          <TextInput
            aria-label={`The beginning of ${chosen.name}`}
            value={beginning}
            maxLength={2000}
            autoComplete="off"
            onChange={({ target }) => setBeginning(target.value)}
          />
        )}
      </div>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" busy={busy} disabled={disabled || value === ''}>
          Allow Always with this
        </Button>
        <Button look="plain" onClick={onBack}>
          Back
        </Button>
      </div>
    </DecisionForm>
  )
}

interface DecisionFormProps {
  readonly onSubmit: () => void
  readonly onBack: () => void
  readonly children: ReactNode
}

/** A form in place of the buttons. It takes the focus, because the user has asked for it; Escape goes back. */
function DecisionForm({ onSubmit, onBack, children }: DecisionFormProps) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLElement>('textarea, input')?.focus(), [])
  const handleKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
    // Escape must not stop the reply.
    event.preventDefault()
    onBack()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the controls inside receive the keys
    <form
      ref={form}
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit()
      }}
      onKeyDown={handleKey}
    >
      {children}
    </form>
  )
}
