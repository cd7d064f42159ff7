import { AppError } from './app-error.ts'

const refusals = {
  chats: ['Chats cannot be deleted here', ' Archive them instead.'],
  account: ['An account cannot be deleted here', ' Ask the operator to delete yours.'],
  export: ['Data cannot be exported here', ''],
} as const

/**
 * Refuses what the operator does not allow to users.
 * @throws AppError `forbidden`
 */
export function requireSelfService(selfService: boolean, what: keyof typeof refusals = 'chats'): void {
  if (selfService) return
  const [refusal, advice] = refusals[what]
  throw new AppError(
    'forbidden',
    `${refusal}, because the operator of this site has not set SELF_SERVICE=on.${advice}`,
  )
}
