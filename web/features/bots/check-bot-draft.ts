import type { BotDraft } from './bot-draft.ts'

/** The field to mend first, and what is wrong. */
export interface DraftProblem {
  readonly field: 'name' | 'model' | 'maxTokens'
  readonly message: string
}

const mostTokens = 10_000_000

/** What keeps a draft from being saved, if anything (§5.5, §5.6). */
export function checkBotDraft(draft: BotDraft): DraftProblem | undefined {
  for (const field of ['name', 'model'] as const) {
    if (draft[field].trim() === '') return { field, message: 'Please fill in all required fields' }
  }
  const tokens = Number(draft.maxTokens)
  if (draft.maxTokens !== '' && !(Number.isInteger(tokens) && tokens >= 1 && tokens <= mostTokens)) {
    return { field: 'maxTokens', message: 'Max tokens must be a whole number from 1 to 10,000,000' }
  }
  return undefined
}
