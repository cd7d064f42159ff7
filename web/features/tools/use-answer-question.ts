import type { ToolAnswer } from '@yonder/contract/completion'
import { logError } from '../../lib/log-error.ts'
import { readReason } from '../../lib/read-reason.ts'
import { useApi } from '../../lib/use-api.ts'

/** Answers the question of a running call. Answers itself with a sentence when that failed. */
export function useAnswerQuestion(): (answer: ToolAnswer) => Promise<string | undefined> {
  const api = useApi()
  return async (answer) => {
    try {
      await api.post('/api/tool/answer', answer)
      return undefined
    } catch (error) {
      const message = `Your answer was not sent: ${readReason(error)}`
      logError(message, error)
      return message
    }
  }
}
