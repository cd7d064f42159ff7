import { ShieldAlert } from 'lucide-react'
import { useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../../ui/button/button.tsx'
import { elicitationDraft } from './elicitation-draft.ts'
import { FieldControl } from './field-control.tsx'
import { checkValue, createAnswer, initialValue, type FieldValue } from './field-values.ts'
import { ElicitationIntro, useAnswer, type ElicitationProps } from './use-answer.tsx'

/**
 * A form that a running call shows to the user, until it is answered in any tab or cancelled.
 */
export function ElicitationForm(props: ElicitationProps) {
  const { chatId, message, elicitation } = props
  const [values, setValues] = useState(() => elicitationDraft.read(chatId, message.id, elicitation))
  const [showsErrors, setShowsErrors] = useState(false)
  const { region, pending, send, failure, declineButton } = useAnswer<HTMLFormElement>(props)
  const { fields } = elicitation
  const controls = useRef(new Map<string, HTMLElement>())
  const valueOf = (field: (typeof fields)[number]) => values.get(field.name) ?? initialValue(field)

  const changeValue = (name: string, value: FieldValue) => {
    const changed = new Map(values).set(name, value)
    setValues(changed)
    elicitationDraft.write(chatId, message.id, elicitation, changed)
  }
  const submit = () => {
    // A number or date input has no value while its text is invalid; the browser shows the error.
    const invalidControl = [...controls.current.values()].find(hasInvalidText)
    if (invalidControl !== undefined) return void invalidControl.reportValidity()
    flushSync(() => setShowsErrors(true))
    const invalidField = fields.find((field) => checkValue(field, valueOf(field)) !== undefined)
    if (invalidField === undefined) send(createAnswer(fields, valueOf))
    else controls.current.get(invalidField.name)?.focus()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the controls inside receive the keys
    <form
      ref={region}
      noValidate
      aria-label={`Question from ${message.server}`}
      className="flex flex-col gap-4 border-t border-line p-3"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      onKeyDown={(event) => {
        // Escape pressed in the form must not stop the reply.
        if (event.key === 'Escape') event.preventDefault()
      }}
    >
      <ElicitationIntro server={message.server} asks="asks you:" message={elicitation.message} />
      <p className="flex items-start gap-2 text-sm">
        <ShieldAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-warning" />
        <span>
          <strong className="font-semibold">Never enter a password or code here.</strong> What you enter goes
          to this connector.
        </span>
      </p>
      {fields.map((field) => (
        <FieldControl
          key={field.name}
          ref={(element) => {
            if (element === null) return undefined
            controls.current.set(field.name, element)
            return () => void controls.current.delete(field.name)
          }}
          field={field}
          value={valueOf(field)}
          error={showsErrors ? checkValue(field, valueOf(field)) : undefined}
          disabled={pending !== undefined}
          onChange={(value) => changeValue(field.name, value)}
        />
      ))}
      {failure}
      <div className="flex flex-wrap gap-2 max-sm:*:flex-auto max-sm:*:px-2">
        <Button type="submit" look="primary" busy={pending === 'accept'} disabled={pending === 'decline'}>
          Submit
        </Button>
        {declineButton}
      </div>
    </form>
  )
}

function hasInvalidText(element: HTMLElement): element is HTMLInputElement {
  return element instanceof HTMLInputElement && element.validity.badInput
}
