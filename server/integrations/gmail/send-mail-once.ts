import type { gmail_v1 } from '@googleapis/gmail'
import { AppError } from '../../lib/app-error.ts'
import { explainGoogleError } from '../google/explain-google-error.ts'
import { isRefusal, statusOf, wasRepeated } from '../google/google-error.ts'
import { buildMail, requireSomebody } from './build-mail.ts'
import type { MailFields, MailThread } from './build-mail.ts'
import type { GmailClient } from './gmail-client.ts'

/** The message that Google made of it; unknown when only its having gone out is. */
type SentMail = gmail_v1.Schema$Message | undefined

/**
 * Sends a mail, and never twice. Sending a mail is a request whose repetition would be a second mail; a draft, however,
 * ends to exist when it is sent. So the mail becomes a draft first, and the draft is sent, as often as it takes.
 * @throws AppError saying that nothing was sent, or that nobody knows
 */
export async function sendMailOnce(
  client: GmailClient,
  fields: MailFields,
  thread: MailThread & { readonly threadId?: string } = {},
): Promise<SentMail> {
  requireSomebody(fields)
  const raw = await buildMail(fields, thread)
  const { threadId } = thread
  const message = threadId === undefined ? { raw } : { raw, threadId }
  const draft = await createDraft(client, message)
  try {
    return await sendDraftOnce(client, draft)
  } catch (error) {
    if (!(error instanceof UnsentError)) throw error
    const wasGone = await discard(client, draft)
    // It had been on its way after all.
    if (wasGone && !error.isRefusal) return undefined
    throw error
  }
}

/**
 * Sends a draft that is there.
 * @throws UnsentError when it has not gone out, any other AppError when nobody knows
 */
export async function sendDraftOnce(client: GmailClient, id: string): Promise<SentMail> {
  try {
    const { data } = await client.api.drafts.send({ userId: 'me', requestBody: { id } })
    return data
  } catch (error) {
    // The request before this one had done it.
    if (statusOf(error) === 404 && wasRepeated(error)) return undefined
    client.signal.throwIfAborted()
    const reason = explainGoogleError(error)
    if (isRefusal(error)) throw new UnsentError(reason, true)
    switch (await findFate(client, id)) {
      case 'sent':
        return undefined
      case 'waiting':
        throw new UnsentError(reason)
      case 'unknown':
        throw new AppError(
          'upstream_error',
          `${reason} Nobody knows whether the mail was sent: look among the sent mails before sending it again.`,
        )
    }
  }
}

/** A mail that has certainly not gone out. */
class UnsentError extends AppError {
  /** Whether Google said so, and did not just fail. */
  readonly isRefusal: boolean

  constructor(reason: string, isRefusal = false) {
    super('upstream_error', `${reason} The mail was not sent.`)
    this.isRefusal = isRefusal
  }
}

async function createDraft(client: GmailClient, message: gmail_v1.Schema$Message): Promise<string> {
  try {
    const { data } = await client.api.drafts.create({ userId: 'me', requestBody: { message } }, client.once)
    if (data.id) return data.id
  } catch (error) {
    client.signal.throwIfAborted()
    throw new UnsentError(explainGoogleError(error))
  }
  throw new UnsentError('Google did not say which draft it made.')
}

/** What became of a draft whose sending was not answered. */
async function findFate({ api }: GmailClient, id: string): Promise<'sent' | 'waiting' | 'unknown'> {
  try {
    await api.drafts.get({ userId: 'me', id, format: 'minimal' })
    return 'waiting'
  } catch (error) {
    return statusOf(error) === 404 ? 'sent' : 'unknown'
  }
}

/** A draft of a mail that did not go out would only be in the way. Says whether it was gone already. */
async function discard({ api }: GmailClient, id: string): Promise<boolean> {
  try {
    await api.drafts.delete({ userId: 'me', id })
    return false
  } catch (error) {
    return statusOf(error) === 404 && !wasRepeated(error)
  }
}
