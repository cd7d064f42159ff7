import type { ElicitationAnswer } from '@yonder/contract/elicitation'
import type { Message } from '@yonder/contract/message'
import type { ToolQuestion } from '@yonder/contract/tool-call'
import { useLayoutEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../../ui/button/button.tsx'
import { InertText } from '../call/inert-text.tsx'
import { questionDraft } from './elicitation-draft.ts'
import { answerWith, checkEntry, presetEntry } from './elicitation-entry.ts'
import type { QuestionEntry } from './elicitation-entry.ts'
import { QuestionField } from './elicitation-field.tsx'
import { useAnswerQuestion } from './use-answer-elicitation.ts'

export interface QuestionFormProps {
  readonly chatId: string
  readonly message: Message
  readonly question: ToolQuestion
}

/** What a running call asks its person. It stays until the call has heard the answer, whoever gives it. */
export function QuestionForm({ chatId, message, question }: QuestionFormProps) {
  const [entries, setEntries] = useState(() => questionDraft.read(chatId, message.id, question))
  const [isChecked, setChecked] = useState(false)
  const [sent, setSent] = useState<ElicitationAnswer['action']>()
  const [failure, setFailure] = useState<string>()
  const answerQuestion = useAnswerQuestion()
  const { fields } = question
  const form = useFocusKept()
  const entryOf = (field: (typeof fields)[number]) => entries.get(field.name) ?? presetEntry(field)

  const send = async (answer: ElicitationAnswer) => {
    setSent(answer.action)
    setFailure(undefined)
    const reason = await answerQuestion({ chatId, messageId: message.id, questionId: question.id, answer })
    if (reason === undefined) return
    setSent(undefined)
    setFailure(reason)
  }
  const enter = (name: string, entry: QuestionEntry) => {
    const changed = new Map(entries).set(name, entry)
    setEntries(changed)
    questionDraft.write(chatId, message.id, question, changed)
  }
  const submit = (form: HTMLFormElement) => {
    // Of what a box for numbers or dates cannot read it gives nothing; the browser says so.
    const unread = [...form.querySelectorAll('input')].find(({ validity }) => validity.badInput)
    if (unread !== undefined) return void unread.reportValidity()
    flushSync(() => setChecked(true))
    if (fields.every((field) => checkEntry(field, entryOf(field)) === undefined))
      void send(answerWith(fields, entryOf))
    else form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- what is inside takes the keys
    <form
      ref={form}
      data-keep
      noValidate
      aria-label={`Question of ${message.server}`}
      className="flex flex-col gap-4 border-t border-line p-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (sent === undefined) submit(event.currentTarget)
      }}
      onKeyDown={(event) => {
        // In a form it leaves a field; it must not stop the reply.
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
          <InertText>{question.message}</InertText>
        </p>
      </div>
      {fields.map((field) => (
        <QuestionField
          key={field.name}
          field={field}
          entry={entryOf(field)}
          error={isChecked ? checkEntry(field, entryOf(field)) : undefined}
          disabled={sent !== undefined}
          onChange={(entry) => enter(field.name, entry)}
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
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={sent === 'accept'} disabled={sent === 'decline'}>
          Submit
        </Button>
        <Button
          busy={sent === 'decline'}
          disabled={sent === 'accept'}
          onClick={() => void send({ action: 'decline' })}
        >
          Decline
        </Button>
      </div>
    </form>
  )
}

/** The form goes once its call has the answer; whoever stood in it stands at the call then. */
function useFocusKept() {
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => {
    const element = form.current
    return () => {
      if (element?.contains(document.activeElement) !== true) return
      element.closest('section')?.querySelector('button')?.focus({ preventScroll: true })
    }
  }, [])
  return form
}
