import { AppError } from '../../lib/app-error.ts'
import { mapFew } from '../../lib/map-few.ts'
import { squeezeSpaces } from '../../lib/squeeze-spaces.ts'
import type { GmailClient } from './gmail-client.ts'
import { readHeaders } from './read-headers.ts'

interface NamedMessage {
  readonly message_id: string
  readonly subject: string
}

/**
 * The ids of mails whose subjects are what the person was shown.
 * @throws AppError `invalid_request` when one is not
 */
export async function checkSubjects(
  { api }: GmailClient,
  messages: readonly NamedMessage[],
): Promise<string[]> {
  await mapFew(messages, async ({ message_id: id, subject }) => {
    const metadata = { userId: 'me', id, format: 'metadata', metadataHeaders: ['Subject'] }
    const { data } = await api.messages.get(metadata)
    requireSameSubject(readHeaders(data.payload).subject, subject)
  })
  return messages.map(({ message_id }) => message_id)
}

/** @throws AppError `invalid_request` */
export function requireSameSubject(actual: string | undefined, told: string): void {
  if (squeezeSpaces(actual ?? '') === squeezeSpaces(told)) return
  throw new AppError(
    'invalid_request',
    `The subject of this mail is "${(actual ?? '').slice(0, 300)}" and not "${told.slice(0, 300)}". Nothing was done.`,
  )
}
