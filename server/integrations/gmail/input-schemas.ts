import { z } from 'zod'

/** Ids become part of URL paths, so only the characters that Google uses are allowed. */
const gmailId = z.string().regex(/^[\w-]{1,200}$/)

export const messageId = gmailId.describe('The message_id of an email, from search_messages or read_thread.')
export const threadId = gmailId.describe('The thread_id of an email.')
export const draftId = gmailId.describe('The draft_id from list_drafts or create_draft.')

const address = z.string().max(300)
export const recipients = z.array(address).max(100)

/** The parts of an email in the input of a tool. */
export const mailFields = {
  to: recipients.describe('Email addresses without names, such as ann@example.com.'),
  cc: recipients.optional().describe('Email addresses that receive a copy.'),
  bcc: recipients
    .optional()
    .describe('Email addresses that receive a copy, hidden from the other recipients.'),
  subject: z.string().max(900),
  body: z.string().max(100_000).describe('The whole text, as plain text without markup.'),
}

/** Emails to be changed, with their subjects, so that the user who approves the call recognises them. */
export const namedMessages = z
  .array(
    z.object({
      message_id: messageId,
      subject: z
        .string()
        .max(2_000)
        .describe('The exact subject of this email. It is shown to the user and checked.'),
    }),
  )
  .min(1)
  .max(50)
