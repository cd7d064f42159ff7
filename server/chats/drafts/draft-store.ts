import { type Actor, changeable, ownedBy, readable } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'

/** Returns the texts that a user has not sent, by the names of their inputs. */
export async function listDrafts(db: Db, actor: Actor): Promise<Readonly<Record<string, string>>> {
  const rows = await db
    .selectFrom('drafts')
    .select(['key', 'content'])
    .where(readable(actor, 'drafts'))
    .orderBy('key')
    .execute()
  return Object.fromEntries(rows.map(({ key, content }) => [key, content]))
}

/** Replaces all of them. */
export async function replaceDrafts(
  trx: Db,
  actor: Actor,
  drafts: Readonly<Record<string, string>>,
): Promise<void> {
  await trx.deleteFrom('drafts').where(changeable(actor, 'drafts')).execute()
  const rows = Object.entries(drafts).map(([key, content]) => ({ ...ownedBy(actor), key, content }))
  if (rows.length > 0) await trx.insertInto('drafts').values(rows).execute()
}
