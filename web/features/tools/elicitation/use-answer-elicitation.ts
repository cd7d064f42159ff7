import type { ToolAnswer } from '@yonder/contract/completion'
import { logError } from '../../../lib/log-error.ts'
import { readReason } from '../../../lib/api-error.ts'
import { useApi } from '../../../lib/api-provider.tsx'
import { questionDraft } from './elicitation-draft.ts'

/** Answers the question of a running call. Answers itself with a sentence when that failed. */
export function useAnswerQuestion(): (answer: ToolAnswer) => Promise<string | undefined> {
  const api = useApi()
  return async (answer) => {
    try {
      const taken = await api.post('/api/tool/answer', answer)
      // After a 401 nobody has heard it: whoever signs in again goes on where they were.
      if (taken !== undefined) questionDraft.clear(answer.chatId, answer.messageId)
      return undefined
    } catch (error) {
      const message = `Your answer was not sent: ${readReason(error)}`
      logError(message, error)
      return message
    }
  }
}
