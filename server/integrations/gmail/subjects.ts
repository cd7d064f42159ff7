import pMap from 'p-map'
import { collapseSpaces } from '../../lib/text.ts'
import { maxConcurrentRequests } from '../google/api-client.ts'
import { refusal } from '../google/errors.ts'
import type { GmailClient } from './client.ts'
import { readHeaders } from './headers.ts'

interface NamedMessage {
  readonly message_id: string
  readonly subject: string
}

/**
 * Checks that each email has the subject that the user was shown, and returns the ids of the emails.
 * @throws AppError `invalid_request` when a subject differs
 */
export async function checkSubjects(
  { api }: GmailClient,
  messages: readonly NamedMessage[],
): Promise<string[]> {
  return pMap(
    messages,
    async ({ message_id: id, subject }) => {
      const metadata = { userId: 'me', id, format: 'metadata', metadataHeaders: ['Subject'] }
      const { data } = await api.messages.get(metadata)
      requireSameSubject(readHeaders(data.payload).subject, subject)
      return id
    },
    { concurrency: maxConcurrentRequests },
  )
}

/** @throws AppError `invalid_request` when the subjects differ in more than white space */
export function requireSameSubject(actual: string | undefined, expected: string): void {
  if (collapseSpaces(actual ?? '') === collapseSpaces(expected)) return
  throw refusal(
    `The subject of this email is "${(actual ?? '').slice(0, 300)}" and not "${expected.slice(0, 300)}".`,
  )
}
