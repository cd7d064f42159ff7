import { z } from 'zod'
import { AppError } from '../../lib/app-error.ts'
import { googleTool } from '../google/google-tool.ts'
import { squeezeSpaces } from '../../lib/squeeze-spaces.ts'
import { requireRecipients, requireSomebody } from './build-mail.ts'
import { requireSameSubject } from './check-subjects.ts'
import type { GmailClient } from './gmail-client.ts'
import { draftId, mailFields, recipients } from './mail-ids.ts'
import { describeSent } from './send-mail.ts'
import { readAddresses } from './read-addresses.ts'
import { isReadWhole, readHeaders } from './read-headers.ts'
import { readMailBody } from './read-mail-body.ts'
import { sendDraftOnce } from './send-mail-once.ts'

const recipientHeaders = ['to', 'cc', 'bcc'] as const

export const sendDraft = googleTool({
  name: 'send_draft',
  title: 'Send a draft',
  description:
    'Sends a draft as it is. Recipients, subject, text and attachments must be given exactly as read_draft gave them: the user is shown them and they are checked. To send something else, change the draft first.',
  effect: 'adds',
  input: z.object({
    draft_id: draftId,
    ...mailFields,
    to: recipients.describe('All To addresses of the draft.'),
    attachments: z
      .array(z.string().max(300))
      .max(50)
      .optional()
      .describe('The names of all attachments of the draft.'),
  }),
  async run(client: GmailClient, { draft_id: id, attachments = [], ...told }) {
    requireSomebody(told)
    const { data: draft } = await client.api.drafts.get({ userId: 'me', id, format: 'full' })
    const payload = draft.message?.payload
    if (!isReadWhole(payload, recipientHeaders)) {
      throw new AppError(
        'invalid_request',
        'The recipients of this draft are more than can be shown. Nothing was sent: it can be sent in Gmail.',
      )
    }
    const headers = readHeaders(payload)
    const body = await readMailBody(payload)
    requireSameSubject(headers.subject, told.subject)
    const recipientsTold = requireRecipients(told)
    for (const name of recipientHeaders) {
      const actual = readAddresses(headers[name])
      requireSame(name, actual, lowerCase(recipientsTold[name]))
    }
    const names = body.attachments.map(({ name }) => name)
    requireSame('attachments', names, attachments)
    requireSame('body', [squeezeSpaces(body.text)], [squeezeSpaces(told.body)])
    return describeSent(await sendDraftOnce(client, id), told)
  },
})

function requireSame(what: string, actual: readonly string[], told: readonly string[]): void {
  if (actual.toSorted().join('\n') === told.toSorted().join('\n')) return
  throw new AppError(
    'invalid_request',
    `"${what}" is not what the draft says. Read the draft again. Nothing was sent.`,
  )
}

function lowerCase(addresses: readonly string[]): string[] {
  return [...new Set(addresses.map((address) => address.toLowerCase()))]
}
