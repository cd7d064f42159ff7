import type { ToolAnswerRequest } from '@yonder/contract/completion'
import type { ElicitationAnswer } from '@yonder/contract/elicitation'
import type { Message } from '@yonder/contract/message'
import type { ToolQuestion } from '@yonder/contract/tool-call'
import { useState, type RefObject } from 'react'
import { readReason } from '../../../lib/api/api-error.ts'
import { useApi } from '../../../lib/api/api-provider.tsx'
import { useKeepMounted } from '../../../lib/keep-mounted.ts'
import { logError } from '../../../lib/log-error.ts'
import { Button } from '../../../ui/button/button.tsx'
import { useFocusAfterRemoval } from '../../../ui/focus.ts'
import { InertText } from '../../../ui/inert-text.tsx'
import { elicitationDraft } from './elicitation-draft.ts'

export interface ElicitationProps {
  readonly chatId: string
  /** The reply with the running call. */
  readonly message: Message
  readonly elicitation: ToolQuestion
  /** Gets the focus if the form is removed while it has the focus. */
  readonly focusAfter: RefObject<HTMLElement | null>
}

/**
 * The answer to an elicitation, sent once at a time. `pending` stays after a success, because the elicitation is removed
 * then. The element of `region` is kept while the user scrolls away.
 */
export function useAnswer<Region extends HTMLElement>(props: ElicitationProps) {
  const { chatId, message, elicitation, focusAfter } = props
  const api = useApi()
  const [pending, setPending] = useState<ElicitationAnswer['action']>()
  const [failure, setFailure] = useState<string>()
  const region = useFocusAfterRemoval<Region>(() => focusAfter.current?.focus({ preventScroll: true }))
  useKeepMounted()
  const send = async (answer: ElicitationAnswer) => {
    if (pending !== undefined) return
    setPending(answer.action)
    setFailure(undefined)
    const request: ToolAnswerRequest = {
      chatId,
      messageId: message.id,
      questionId: elicitation.id,
      answer,
    }
    try {
      const response = await api.post('/api/tool/answer', request)
      // Undefined means that the user was signed out. The entries are still needed after the next sign-in.
      if (response !== undefined) elicitationDraft.clear(chatId, message.id)
    } catch (error) {
      const text = `Your answer was not sent: ${readReason(error)}`
      logError(text, error)
      setPending(undefined)
      setFailure(text)
    }
  }
  return {
    region,
    pending,
    send: (answer: ElicitationAnswer) => void send(answer),
    failure: failure !== undefined && (
      <p role="alert" className="text-sm text-danger">
        {failure}
      </p>
    ),
    declineButton: (
      <Button
        look="plain"
        busy={pending === 'decline'}
        disabled={pending === 'accept'}
        onClick={() => void send({ action: 'decline' })}
      >
        Decline
      </Button>
    ),
  }
}

/** Says which connector asks, and its message. */
export function ElicitationIntro({
  server = '',
  asks,
  message,
}: {
  readonly server: string | undefined
  readonly asks: string
  readonly message: string
}) {
  return (
    <div>
      <p className="text-xs text-muted">
        The connector{' '}
        <bdi className="font-medium text-ink">
          <InertText>{server}</InertText>
        </bdi>{' '}
        {asks}
      </p>
      {message !== '' && (
        <p dir="auto" className="mt-1 whitespace-pre-wrap wrap-anywhere">
          <InertText>{message}</InertText>
        </p>
      )}
    </div>
  )
}
