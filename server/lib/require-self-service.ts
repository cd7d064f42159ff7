import { AppError } from './app-error.ts'

/**
 * Refuses a deletion of chats where the operator does not allow it to users.
 * @throws AppError `forbidden`
 */
export function requireSelfService(selfService: boolean): void {
  if (selfService) return
  throw new AppError(
    'forbidden',
    'Chats cannot be deleted here, because the operator of this site has not set SELF_SERVICE=on. Archive them instead.',
  )
}
