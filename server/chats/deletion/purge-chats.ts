import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Db } from '../../db/database.ts'
import { deleteFilesOfChat } from '../../files/file-store.ts'
import type { Search } from '../search/open-search.ts'
import { deleteChat, deleteRunEvents, findPurged, markAllOfUser } from './deletion-store.ts'

/** Milliseconds of one transaction, for which all other writes wait on SQLite, and of the pause after it. */
const maxSliceMs = 5
export const slicePauseMs = 20

/** `busy`: another node is purging. `more`: the slice has ended before all was deleted. */
export type PurgeOutcome = 'done' | 'more' | 'busy'

export interface PurgeDeps {
  readonly database: Pick<Database, 'db' | 'dialect'>
  readonly search: Pick<Search, 'deleteMessages'>
}

/**
 * Deletes chats that are deleted for good (`deleted_at` is 0), with everything in them, for some milliseconds in one
 * transaction. What it leaves is deleted by the next slice, also one of another process: a chat is deleted in the order
 * files, messages, events of runs, chat. Records of usage and of tool calls stay.
 */
export function purgeSlice(
  { database: { db, dialect }, search }: PurgeDeps,
  { userId, sliceMs = maxSliceMs }: { readonly userId?: string; readonly sliceMs?: number } = {},
): Promise<PurgeOutcome> {
  return db.transaction().execute(async (trx) => {
    if (!(await dialect.lockPurge(trx))) return 'busy'
    const deadline = performance.now() + sliceMs
    const isOver = (): boolean => performance.now() >= deadline
    do {
      const chatId = await findPurged(trx, userId)
      if (chatId === undefined) return 'done'
      await purgeChat(trx, { dialect, search }, chatId, isOver)
    } while (!isOver())
    return 'more'
  })
}

async function purgeChat(
  trx: Db,
  { dialect, search }: Pick<PurgeDeps, 'search'> & Pick<Database, 'dialect'>,
  chatId: string,
  isOver: () => boolean,
): Promise<void> {
  const steps = [
    () => deleteFilesOfChat(trx, dialect, chatId),
    () => search.deleteMessages(trx, chatId, isOver),
    () => deleteRunEvents(trx, chatId),
  ]
  for (const deleteSome of steps) while (await deleteSome()) if (isOver()) return
  await deleteChat(trx, chatId)
}

/** Deletes all chats of a user for good, in slices, so that other users do not wait. */
export async function purgeUser(deps: PurgeDeps, userId: string): Promise<void> {
  while (await markAllOfUser(deps.database.db, userId));
  for (let outcome: PurgeOutcome = 'more'; outcome !== 'done';) {
    outcome = await purgeSlice(deps, { userId })
    await wait(outcome === 'busy' ? slicePauseMs : 0)
  }
}
