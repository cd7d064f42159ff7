import type { Database } from '../../db/database.ts'
import { createSealer } from '../../db/secrets/seal-secret.ts'
import { exportUser } from '../../export/export-user.ts'
import { type ExportSource, ofManyMoments } from '../../export/read-exported-chat.ts'
import { requireManagedUser } from '../../identity/users/manage-users.ts'
import { readOwnIssuer } from '../../identity/users/user-store.ts'
import { type ReadZip, readZip } from './read-zip.ts'

export interface ReadExportOptions {
  /** By default, that of a server. */
  readonly source?: ExportSource
  readonly onChat?: (done: number, total: number) => void
  /** Called after each piece of the ZIP. */
  readonly onPiece?: () => Promise<void>
}

/** Exports everything of a user who signs in with the stand-in for the sign-in, and reads it. */
export async function readExport(
  database: Database,
  subject: string,
  { source = ofManyMoments(database), onChat, onPiece }: ReadExportOptions = {},
): Promise<ReadZip> {
  const sealer = createSealer('a secret of tests that is long enough')
  const issuer = await readOwnIssuer(database.db)
  // The users of the stand-in have no accounts.
  const deps = { database, sealer, issuer, embedded: false, now: Date.now }
  const user = await requireManagedUser(deps, subject)
  const options = { source, publicUrl: 'http://localhost:3000', version: '0', now: Date.now }
  const pieces: Buffer[] = []
  for await (const piece of exportUser({ ...options, ...(onChat && { onChat }) }, user)) {
    pieces.push(piece)
    await onPiece?.()
  }
  return readZip(Buffer.concat(pieces))
}
