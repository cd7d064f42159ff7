import type { Db } from '../db/database.ts'
import { AppError } from '../lib/app-error.ts'
import type { User } from '../identity/user.ts'
import { deleteShare } from './share-store.ts'

/**
 * Ends a link for good: sharing the message again gives another one.
 * @throws AppError `not_found`
 */
export async function revokeShare(db: Db, user: Pick<User, 'id'>, id: string): Promise<void> {
  if (!(await deleteShare(db, user, id))) throw new AppError('not_found', 'There is no such link.')
}
