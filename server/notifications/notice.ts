import { noticeKinds } from '@yonder/contract/lib/notices'
import { NotificationSettings } from '@yonder/contract/notification'
import { z } from 'zod'

/** What a user is told, in the column `payload`. */
export const Notice = z.object({
  kind: z.enum([...noticeKinds, 'test']),
  chat_id: z.string(),
  bot: z.string(),
  /** The title of the chat and the beginning of the reply; only when the user has switched them on. */
  title: z.string().optional(),
  text: z.string().optional(),
  /** Milliseconds since 1970. */
  at: z.number(),
})
export type Notice = z.infer<typeof Notice>

/** The target of a notice that goes to the webhook of the user. Other targets are the ids of devices. */
export const webhookTarget = 'webhook'

/** What a user has chosen, in the column `settings`. */
export type NotificationChoices = Pick<NotificationSettings, 'kinds' | 'with_text'>

const StoredChoices = NotificationSettings.pick({ kinds: true, with_text: true })

/** Reads the column `settings`; without a row, everything is told and nothing of the texts. */
export function readChoices(settings: string | undefined): NotificationChoices {
  if (settings === undefined) return { kinds: [...noticeKinds], with_text: false }
  const { kinds, with_text } = StoredChoices.parse(JSON.parse(settings))
  // In the order of the list, and each once.
  return { kinds: noticeKinds.filter((kind) => kinds.includes(kind)), with_text }
}
