import type { ResultImage } from '@yonder/contract/tool-call'
import type { Db } from '../db/database.ts'

/** Stores the images of a tool's result beside its message (§12.22). */
export async function insertResultImages(
  trx: Db,
  chatId: string,
  messageId: string,
  images: readonly (ResultImage & { readonly place: number })[],
): Promise<void> {
  if (images.length === 0) return
  await trx
    .insertInto('result_images')
    .values(
      images.map(({ place, mimeType, data }) => ({
        chat_id: chatId,
        message_id: messageId,
        place,
        mime_type: mimeType,
        data,
      })),
    )
    .execute()
}

/** The image at an index of a result's parts (§17.8). */
export async function findResultImage(
  db: Db,
  chatId: string,
  messageId: string,
  place: number,
): Promise<ResultImage | undefined> {
  const row = await db
    .selectFrom('result_images')
    .select(['mime_type', 'data'])
    .where('chat_id', '=', chatId)
    .where('message_id', '=', messageId)
    .where('place', '=', place)
    .executeTakeFirst()
  return row && { mimeType: row.mime_type, data: row.data }
}
