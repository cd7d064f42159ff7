import type { ToolAnswerRequest } from '@yonder/contract/completion'
import { useState } from 'react'
import { createNotice, type Notice } from '../../../lib/api/api-error.ts'
import { useApi } from '../../../lib/api/api-provider.tsx'
import { useOutageEnd } from '../../../lib/api/connection.ts'
import { logError } from '../../../lib/log-error.ts'
import { elicitationDraft } from './elicitation-draft.ts'

/**
 * Returns a function that answers an elicitation. It resolves to the notice of a failure, or to undefined if nothing
 * failed or the user was signed out.
 */
export function useAnswerElicitation(): (answer: ToolAnswerRequest) => Promise<Notice | undefined> {
  const api = useApi()
  return async (answer) => {
    try {
      const response = await api.post('/api/tool/answer', answer)
      // Undefined means that the user was signed out. The entries are still needed after the next sign-in.
      if (response !== undefined) elicitationDraft.clear(answer.chatId, answer.messageId)
      return undefined
    } catch (error) {
      const notice = createNotice(error, 'Your answer was not sent')
      logError(notice.text, error)
      return notice
    }
  }
}

/** Why an answer was not sent, and its setter. A message about an outage disappears when the outage ends. */
export function useAnswerFailure() {
  const [failure, setFailure] = useState<Notice>()
  useOutageEnd(useApi().connection, () => {
    if (failure?.isOutage === true) setFailure(undefined)
  })
  return [failure?.text, setFailure] as const
}
