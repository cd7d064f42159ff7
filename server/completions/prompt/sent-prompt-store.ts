import { createHash } from 'node:crypto'
import { type Actor, changeable, ownedBy, readable } from '../../access/access.ts'
import type { Db } from '../../db/database.ts'
import { prepareQuery } from '../../db/dialects/prepare-query.ts'

/** How many texts of prompts are kept for each user: the ones used last. */
export const maxPromptTexts = 300

/** `used_at` is updated at most once an hour, because an update writes the whole row, which may be large. */
const usedAtPrecisionMs = 3_600_000

interface SentPromptRow {
  readonly chatId: string
  readonly messageId: string
  readonly prompt: string
}

const promptUpsert = prepareQuery((db, { chatId, messageId, prompt }: SentPromptRow) =>
  db
    .insertInto('sent_prompts')
    .values({ chat_id: chatId, message_id: messageId, prompt })
    .onConflict((conflict) => conflict.columns(['chat_id', 'message_id']).doUpdateSet({ prompt }))
    .compile(),
)

/** Stores what the model was given for a reply, in place of an earlier attempt. `prompt` is JSON. */
export async function saveSentPrompt(trx: Db, row: SentPromptRow): Promise<void> {
  await promptUpsert(trx, row)
}

export async function findSentPrompt(db: Db, chatId: string, messageId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('sent_prompts')
    .select('prompt')
    .where('chat_id', '=', chatId)
    .where('message_id', '=', messageId)
    .executeTakeFirst()
  return row?.prompt
}

/** Returns the key under which a text is stored. Equal texts of a user have the same key, so they are stored once. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

const usedAtQuery = prepareQuery((db, { actor, hash }: { readonly actor: Actor; readonly hash: string }) =>
  db
    .selectFrom('prompt_texts')
    .select('used_at')
    .where(readable(actor, 'prompt_texts'))
    .where('hash', '=', hash)
    .compile(),
)

/** Stores the texts of a prompt by their hashes, or marks them as used. `now` is in milliseconds since 1970. */
export async function savePromptTexts(
  trx: Db,
  actor: Actor,
  { texts, now }: { readonly texts: ReadonlyMap<string, string>; readonly now: number },
): Promise<void> {
  let isNew = false
  for (const [hash, content] of texts) {
    if (await savePromptText(trx, actor, { hash, content, now })) isNew = true
  }
  if (isNew) await deleteOldTexts(trx, actor, [...texts.keys()])
}

/** Returns whether the text is new. */
async function savePromptText(
  trx: Db,
  actor: Actor,
  { hash, content, now }: { readonly hash: string; readonly content: string; readonly now: number },
): Promise<boolean> {
  const [stored] = (await usedAtQuery(trx, { actor, hash })).rows
  if (stored === undefined) {
    await trx
      .insertInto('prompt_texts')
      .values({ ...ownedBy(actor), hash, content, used_at: now })
      .onConflict((conflict) => conflict.columns(['user_id', 'hash']).doNothing())
      .execute()
    return true
  }
  if (now - stored.used_at > usedAtPrecisionMs) {
    await trx
      .updateTable('prompt_texts')
      .set({ used_at: now })
      .where(changeable(actor, 'prompt_texts'))
      .where('hash', '=', hash)
      .execute()
  }
  return false
}

/** Keeps the texts in use, whose time of use may be up to an hour old, and those of the others that were used last. */
async function deleteOldTexts(trx: Db, actor: Actor, inUse: readonly string[]): Promise<void> {
  const oldestKept = await trx
    .selectFrom('prompt_texts')
    .select('used_at')
    .where(readable(actor, 'prompt_texts'))
    .where('hash', 'not in', inUse)
    .orderBy('used_at', 'desc')
    .limit(1)
    .offset(maxPromptTexts - inUse.length - 1)
    .executeTakeFirst()
  if (oldestKept === undefined) return
  await trx
    .deleteFrom('prompt_texts')
    .where(changeable(actor, 'prompt_texts'))
    .where('hash', 'not in', inUse)
    .where('used_at', '<', oldestKept.used_at)
    .execute()
}

/** Returns the stored texts with these hashes, by hash. */
export async function listPromptTexts(
  db: Db,
  actor: Actor,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map()
  const rows = await db
    .selectFrom('prompt_texts')
    .select(['hash', 'content'])
    .where(readable(actor, 'prompt_texts'))
    .where('hash', 'in', hashes)
    .execute()
  return new Map(rows.map(({ hash, content }) => [hash, content]))
}
