import type { Database, Db } from '../db/database.ts'
import type { UserRow } from '../db/tables/tables.ts'
import { noteBytes } from '../files/file-store.ts'
import { discardBytes } from '../files/store-file.ts'
import { findAccount } from '../identity/accounts/account-store.ts'
import type { ManagedUser } from '../identity/users/manage-users.ts'
import { readOwnIssuer } from '../identity/users/user-store.ts'
import { newId } from '../lib/new-id.ts'
import type { Work, WorkContext } from '../transfers/run-transfers.ts'
import { changeTransfer, type TransferFile, type WorkingTransfer } from '../transfers/transfer-store.ts'
import { findUserById } from './export-store.ts'
import { type ExportDeps, exportUser } from './export-user.ts'
import { ofManyMoments } from './read-exported-chat.ts'

export interface ExportWorkDeps extends Pick<ExportDeps, 'publicUrl' | 'version' | 'now'> {
  readonly database: Database
}

/**
 * Returns the work of an export: it writes all data of the user into a ZIP. Its bytes are noted as unused before they
 * are there, so that they are deleted after a day, and at once when the export fails or is cancelled.
 */
export function openExportWork(deps: ExportWorkDeps): Work {
  return async (transfer, context) => {
    const { database, now } = deps
    const id = newId()
    await noteBytes(database.db, id, now())
    try {
      const size = await writeExport(deps, transfer, context, id)
      const name = `yonder-${new Date(now()).toISOString().slice(0, 10)}.zip`
      const files = JSON.stringify([{ id, name, size }] satisfies TransferFile[])
      // From here on, a cancellation finds the bytes. After one that came before, the result is not stored.
      if (!(await changeTransfer(database.db, transfer, { files }))) await discardBytes(database, id)
      return { state: 'done', files }
    } catch (error) {
      await discardBytes(database, id)
      throw error
    }
  }
}

/** Writes the ZIP, and returns its size in bytes. */
async function writeExport(
  { database, ...deps }: ExportWorkDeps,
  { user_id }: WorkingTransfer,
  { signal, setProgress }: WorkContext,
  id: string,
): Promise<number> {
  const row = await findUserById(database.db, user_id)
  if (row === undefined) throw new Error('the user of an export was deleted')
  const source = ofManyMoments(database)
  const zip = exportUser({ ...deps, source, onChat: setProgress }, await describeAccount(database.db, row))
  let size = 0
  async function* untilAborted(): AsyncGenerator<Buffer> {
    for await (const piece of zip) {
      signal.throwIfAborted()
      size += piece.length
      yield piece
    }
  }
  await database.bytes.write(id, untilAborted())
  return size
}

/** What an export says of its own user. */
async function describeAccount(db: Db, row: UserRow): Promise<ManagedUser> {
  const account = row.issuer === (await readOwnIssuer(db)) ? await findAccount(db, row.subject) : undefined
  return {
    id: row.subject,
    userId: row.id,
    email: row.email,
    name: row.name,
    kind: account === undefined ? 'provider' : account.password_hash === null ? 'google' : 'local',
    status: row.disabled_at === null ? 'active' : 'disabled',
    createdAt: (account ?? row).created_at,
    usedAt: row.used_at,
  }
}
