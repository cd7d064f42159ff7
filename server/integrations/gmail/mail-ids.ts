import { z } from 'zod'

/** Ids go into paths: nothing else than Google makes them of. */
const mailId = z.string().regex(/^[\w-]{1,200}$/)

export const messageId = mailId.describe('The message_id of a mail, from search_messages or read_thread.')
export const threadId = mailId.describe('The thread_id of a mail.')
export const draftId = mailId.describe('The draft_id from list_drafts or create_draft.')

const address = z.string().max(300)
export const recipients = z.array(address).max(100)

/** What is written in a mail, by whichever tool. */
export const mailFields = {
  to: recipients.describe('Plain addresses, such as ann@example.com.'),
  cc: recipients.optional().describe('Plain addresses that get a copy.'),
  bcc: recipients.optional().describe('Plain addresses that get a copy unseen by the others.'),
  subject: z.string().max(900),
  body: z.string().max(100_000).describe('The whole text, as plain text without markup.'),
}

/** Mails that something is done to, named so that the person who approves it knows them. */
export const namedMessages = z
  .array(
    z.object({
      message_id: messageId,
      subject: z
        .string()
        .max(2_000)
        .describe('The subject of this mail, exactly: the user is shown it, and it is checked.'),
    }),
  )
  .min(1)
  .max(50)
