import type { gmail_v1 } from '@googleapis/gmail'
import { AppError } from '../../lib/app-error.ts'
import { explainGoogleError, mayHaveSucceeded, statusOf, wasNotExecuted } from '../google/errors.ts'
import type { GmailClient } from './client.ts'
import { buildMail, requireRecipient, type MailFields, type MailThread } from './compose.ts'

/** The message that Google created. Undefined when the email was sent but Google's response was lost. */
type SentMessage = gmail_v1.Schema$Message | undefined

/**
 * Sends an email at most once. A repeated send request would send a second email, but Google deletes a draft when it is
 * sent. So the email is saved as a draft, and the request that sends the draft can be retried safely.
 * @throws AppError with a message that distinguishes emails that were not sent from those that may have been sent
 */
export async function sendMailOnce(
  client: GmailClient,
  fields: MailFields,
  thread?: MailThread,
): Promise<SentMessage> {
  requireRecipient(fields)
  const draftId = await createDraft(client, await buildMail(fields, thread))
  try {
    return await sendDraftOnce(client, draftId)
  } catch (error) {
    if (!(error instanceof UnsentError)) throw error
    const wasMissing = await deleteDraft(client, draftId)
    // A draft that is missing was sent, unless Google did not execute the request.
    if (wasMissing && !error.sendWasNotExecuted) return undefined
    throw error
  }
}

/**
 * Sends an existing draft at most once.
 * @throws UnsentError when it was not sent, another AppError when it may have been sent
 */
export async function sendDraftOnce(client: GmailClient, id: string): Promise<SentMessage> {
  try {
    const { data } = await client.api.drafts.send({ userId: 'me', requestBody: { id } })
    return data
  } catch (error) {
    // An earlier attempt sent the draft.
    if (statusOf(error) === 404 && mayHaveSucceeded(error)) return undefined
    client.signal.throwIfAborted()
    const reason = explainGoogleError(error)
    if (wasNotExecuted(error)) throw new UnsentError(reason, true)
    switch (await findDraftStatus(client, id)) {
      case 'sent':
        return undefined
      case 'unsent':
        throw new UnsentError(reason)
      case 'unknown':
        throw new AppError(
          'upstream_error',
          `${reason} The email may or may not have been sent. Check the sent emails before sending it again.`,
        )
    }
  }
}

/** The email was not sent, as far as Google's responses show. */
class UnsentError extends AppError {
  /** Whether Google certainly executed no request to send it. */
  readonly sendWasNotExecuted: boolean

  constructor(reason: string, sendWasNotExecuted = false) {
    super('upstream_error', `${reason} The email was not sent.`)
    this.sendWasNotExecuted = sendWasNotExecuted
  }
}

async function createDraft(client: GmailClient, message: gmail_v1.Schema$Message): Promise<string> {
  try {
    const { data } = await client.api.drafts.create(
      { userId: 'me', requestBody: { message } },
      client.nonIdempotent,
    )
    if (data.id) return data.id
  } catch (error) {
    client.signal.throwIfAborted()
    throw new UnsentError(explainGoogleError(error))
  }
  throw new UnsentError('Google returned no id for the draft. Try again.')
}

/** A draft that does not exist any more counts as sent, because Google deletes a draft when it is sent. */
async function findDraftStatus({ api }: GmailClient, id: string): Promise<'sent' | 'unsent' | 'unknown'> {
  try {
    await api.drafts.get({ userId: 'me', id, format: 'minimal' })
    return 'unsent'
  } catch (error) {
    return statusOf(error) === 404 ? 'sent' : 'unknown'
  }
}

/** Deletes the draft of an email that was not sent. Returns whether the draft did not exist. Never rejects. */
async function deleteDraft({ api }: GmailClient, id: string): Promise<boolean> {
  try {
    await api.drafts.delete({ userId: 'me', id })
    return false
  } catch (error) {
    return statusOf(error) === 404 && !mayHaveSucceeded(error)
  }
}
