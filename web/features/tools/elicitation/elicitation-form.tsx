import type { ElicitationAnswer } from '@yonder/contract/elicitation'
import type { Message } from '@yonder/contract/message'
import type { ToolQuestion } from '@yonder/contract/tool-call'
import { useRef, useState, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import { useKeepMounted } from '../../../lib/keep-mounted.ts'
import { Button } from '../../../ui/button/button.tsx'
import { useFocusAfterRemoval } from '../../../ui/focus-after-removal.ts'
import { InertText } from '../../../ui/inert-text.tsx'
import { useAnswerElicitation, useAnswerFailure } from './answer-elicitation.ts'
import { elicitationDraft } from './elicitation-draft.ts'
import { FieldControl } from './field-control.tsx'
import { checkValue, createAnswer, initialValue, type FieldValue } from './field-values.ts'

export interface ElicitationFormProps {
  readonly chatId: string
  /** The reply with the running call. */
  readonly message: Message
  readonly elicitation: ToolQuestion
  /** Gets the focus if the form is removed while it has the focus. */
  readonly focusAfter: RefObject<HTMLElement | null>
}

/**
 * A form that a running call shows to the user, until it is answered in any tab or cancelled.
 */
export function ElicitationForm({ chatId, message, elicitation, focusAfter }: ElicitationFormProps) {
  const [values, setValues] = useState(() => elicitationDraft.read(chatId, message.id, elicitation))
  const [showsErrors, setShowsErrors] = useState(false)
  const [pending, setPending] = useState<ElicitationAnswer['action']>()
  const [failure, setFailure] = useAnswerFailure()
  const answerElicitation = useAnswerElicitation()
  const { fields } = elicitation
  const form = useFocusAfterRemoval<HTMLFormElement>(() => focusAfter.current?.focus({ preventScroll: true }))
  const controls = useRef(new Map<string, HTMLElement>())
  useKeepMounted()
  const valueOf = (field: (typeof fields)[number]) => values.get(field.name) ?? initialValue(field)

  const send = async (answer: ElicitationAnswer) => {
    setPending(answer.action)
    setFailure(undefined)
    const questionId = elicitation.id
    const notice = await answerElicitation({ chatId, messageId: message.id, questionId, answer })
    if (notice === undefined) return
    setPending(undefined)
    setFailure(notice)
  }
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
    if (invalidField === undefined) void send(createAnswer(fields, valueOf))
    else controls.current.get(invalidField.name)?.focus()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the controls inside receive the keys
    <form
      ref={form}
      noValidate
      aria-label={`Question from ${message.server}`}
      className="flex flex-col gap-4 border-t border-line p-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (pending === undefined) submit()
      }}
      onKeyDown={(event) => {
        // Escape pressed in the form must not stop the reply.
        if (event.key === 'Escape') event.preventDefault()
      }}
    >
      <div>
        <p className="text-xs text-muted">
          The connector{' '}
          <bdi className="font-medium text-ink">
            <InertText>{message.server ?? ''}</InertText>
          </bdi>{' '}
          asks you:
        </p>
        <p dir="auto" className="mt-1 whitespace-pre-wrap wrap-anywhere">
          <InertText>{elicitation.message}</InertText>
        </p>
      </div>
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
      <p className="text-xs text-muted">
        What you enter goes to this connector. Never give it a password or another secret.
      </p>
      {failure !== undefined && (
        <p role="alert" className="text-sm text-danger">
          {failure}
        </p>
      )}
      <div className="flex flex-wrap gap-2 max-sm:*:flex-auto max-sm:*:px-2">
        <Button type="submit" look="primary" busy={pending === 'accept'} disabled={pending === 'decline'}>
          Submit
        </Button>
        <Button
          look="plain"
          busy={pending === 'decline'}
          disabled={pending === 'accept'}
          onClick={() => void send({ action: 'decline' })}
        >
          Decline
        </Button>
      </div>
    </form>
  )
}

function hasInvalidText(element: HTMLElement): element is HTMLInputElement {
  return element instanceof HTMLInputElement && element.validity.badInput
}
