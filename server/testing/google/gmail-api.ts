import type { gmail_v1 } from '@googleapis/gmail'
import { ApiStandIn, type ApiCall } from './api-stand-in.ts'
import { gmailMethods } from './discovery.ts'
import { GoogleApiError, notFound } from './google-api-error.ts'
import { headerOf, Mailbox, newMailId, type StoredMail } from './mailbox.ts'
import { parseRawMessage, requireRecipients } from './raw-message.ts'

type Draft = gmail_v1.Schema$Draft
type Modification = gmail_v1.Schema$BatchModifyMessagesRequest

/** Gmail, with one mailbox for each account. */
export class GmailApi extends ApiStandIn {
  readonly #mailboxes: Map<string, Mailbox>

  constructor(mailboxes: Map<string, Mailbox>) {
    const of = (handle: (mailbox: Mailbox, call: ApiCall) => unknown) => (call: ApiCall) => {
      if (call.params['userId'] !== 'me') throw new GoogleApiError(403, 'Delegation denied')
      return handle(mailboxOf(mailboxes, call.account), call)
    }
    super({
      prefix: '/gmail-api',
      methods: gmailMethods,
      handlers: {
        'gmail.users.drafts.create': of(createDraft),
        'gmail.users.drafts.delete': of(deleteDraft),
        'gmail.users.drafts.get': of(getDraft),
        'gmail.users.drafts.list': of(listDrafts),
        'gmail.users.drafts.send': of(sendDraft),
        'gmail.users.drafts.update': of(updateDraft),
        'gmail.users.getProfile': of((_mailbox, { account }) => ({ emailAddress: account })),
        'gmail.users.labels.create': of(createLabel),
        'gmail.users.labels.list': of(({ labels }) => ({ labels })),
        'gmail.users.messages.batchModify': of(modifyMails),
        'gmail.users.messages.get': of((mailbox, { params }) =>
          present(mailbox.require(text(params['id'])), params),
        ),
        'gmail.users.messages.list': of(listMails),
        'gmail.users.threads.get': of(getThread),
      },
    })
    this.#mailboxes = mailboxes
  }

  mailbox(account: string): Mailbox {
    return mailboxOf(this.#mailboxes, account)
  }
}

export function createGmailApi(): GmailApi {
  return new GmailApi(new Map())
}

function mailboxOf(mailboxes: Map<string, Mailbox>, account: string): Mailbox {
  const known = mailboxes.get(account) ?? new Mailbox()
  mailboxes.set(account, known)
  return known
}

async function createDraft(mailbox: Mailbox, { account, body }: ApiCall): Promise<Draft> {
  const mail = await storeDraft(mailbox, account, (body as Draft).message)
  const id = `r${newMailId()}`
  mailbox.drafts.set(id, mail.id)
  return { id, message: minimal(mail) }
}

async function updateDraft(mailbox: Mailbox, { account, params, body }: ApiCall): Promise<Draft> {
  const id = text(params['id'])
  const before = requireDraft(mailbox, id)
  const mail = await storeDraft(mailbox, account, (body as Draft).message)
  mailbox.mails.delete(before.id)
  mailbox.drafts.set(id, mail.id)
  return { id, message: minimal(mail) }
}

function deleteDraft(mailbox: Mailbox, { params }: ApiCall): undefined {
  const id = text(params['id'])
  mailbox.mails.delete(requireDraft(mailbox, id).id)
  mailbox.drafts.delete(id)
}

function getDraft(mailbox: Mailbox, { params }: ApiCall): Draft {
  const id = text(params['id'])
  return { id, message: present(requireDraft(mailbox, id), params) }
}

function listDrafts(mailbox: Mailbox, { params }: ApiCall): gmail_v1.Schema$ListDraftsResponse {
  const found = new Map(mailbox.search(text(params['q']), false).map((mail) => [mail.id, mail]))
  const drafts = [...mailbox.drafts].reverse().flatMap(([id, mailId]) => {
    const mail = found.get(mailId)
    return mail === undefined ? [] : [{ id, message: { id: mail.id, threadId: mail.threadId } }]
  })
  const { items, ...page } = takePage(drafts, params)
  return { ...(items.length === 0 ? {} : { drafts: items }), ...page, resultSizeEstimate: drafts.length }
}

/** The draft disappears, and the sent message has another id. */
function sendDraft(mailbox: Mailbox, { body }: ApiCall): gmail_v1.Schema$Message {
  const id = (body as Draft).id ?? ''
  const draft = requireDraft(mailbox, id)
  requireRecipients(draft.payload)
  mailbox.drafts.delete(id)
  mailbox.mails.delete(draft.id)
  const sent = mailbox.store({ ...draft, id: newMailId(), labelIds: ['SENT'] })
  mailbox.sent.push(sent)
  return minimal(sent)
}

function createLabel(mailbox: Mailbox, { body }: ApiCall): gmail_v1.Schema$Label {
  const { name } = body as gmail_v1.Schema$Label
  if (mailbox.labels.some((label) => label.name.toLowerCase() === name?.toLowerCase())) {
    throw new GoogleApiError(409, 'Label name exists or conflicts')
  }
  return mailbox.addLabel(name ?? '')
}

function modifyMails(mailbox: Mailbox, { body }: ApiCall): undefined {
  const { ids, addLabelIds, removeLabelIds } = body as Modification
  const known = new Set(mailbox.labels.map(({ id }) => id))
  const unknown = [...(addLabelIds ?? []), ...(removeLabelIds ?? [])].find((label) => !known.has(label))
  if (unknown !== undefined) throw new GoogleApiError(400, `Invalid label: ${unknown}`)
  for (const id of ids ?? []) {
    const mail = mailbox.mails.get(id)
    if (mail === undefined) continue
    const labels = new Set([...mail.labelIds, ...(addLabelIds ?? [])])
    for (const label of removeLabelIds ?? []) labels.delete(label)
    mail.labelIds = [...labels]
  }
}

function listMails(mailbox: Mailbox, { params }: ApiCall): gmail_v1.Schema$ListMessagesResponse {
  const mails = mailbox.search(text(params['q']), params['includeSpamTrash'] === 'true')
  const { items, ...page } = takePage(mails, params)
  const messages = items.map(({ id, threadId }) => ({ id, threadId }))
  return { ...(messages.length === 0 ? {} : { messages }), ...page, resultSizeEstimate: mails.length }
}

function getThread(mailbox: Mailbox, { params }: ApiCall): gmail_v1.Schema$Thread {
  const id = text(params['id'])
  const mails = [...mailbox.mails.values()].filter(({ threadId }) => threadId === id)
  if (mails.length === 0) throw notFound()
  return { id, historyId: '1', messages: mails.map((mail) => present(mail, params)) }
}

/**
 * Stores a draft. As in Gmail, it joins the thread that it names if it replies to an email of that thread with the same
 * subject.
 */
async function storeDraft(
  mailbox: Mailbox,
  account: string,
  message: gmail_v1.Schema$Message | undefined,
): Promise<StoredMail> {
  const payload = await parseRawMessage(message?.raw, account)
  const id = newMailId()
  const thread = [...mailbox.mails.values()].filter(({ threadId }) => threadId === message?.threadId)
  const repliesTo = `${headerOf({ payload }, 'In-Reply-To')} ${headerOf({ payload }, 'References')}`
  const belongs = thread.some(
    (mail) =>
      repliesTo.includes(headerOf(mail, 'Message-ID')) &&
      bareSubject(headerOf(mail, 'Subject')) === bareSubject(headerOf({ payload }, 'Subject')),
  )
  const threadId = belongs ? (message?.threadId ?? id) : id
  return mailbox.store({ id, threadId, labelIds: ['DRAFT'], payload })
}

function bareSubject(subject: string): string {
  return subject.replace(/^(\s*re\s*:)+/i, '').trim()
}

function requireDraft(mailbox: Mailbox, id: string): StoredMail {
  const mailId = mailbox.drafts.get(id)
  if (mailId === undefined) throw notFound()
  return mailbox.require(mailId)
}

function present(mail: StoredMail, params: ApiCall['params']): gmail_v1.Schema$Message {
  const { payload, ...rest } = mail
  switch (params['format'] ?? 'full') {
    case 'minimal':
      return rest
    case 'metadata': {
      const names = params['metadataHeaders']
      const wanted = Array.isArray(names) ? names.map((name: string) => name.toLowerCase()) : undefined
      const headers = (payload.headers ?? []).filter(
        ({ name }) => wanted === undefined || wanted.includes(name?.toLowerCase() ?? ''),
      )
      return { ...rest, payload: { mimeType: payload.mimeType ?? null, headers } }
    }
    default:
      return mail
  }
}

function minimal({ id, threadId, labelIds }: StoredMail): gmail_v1.Schema$Message {
  return { id, threadId, labelIds }
}

function takePage<Item>(all: readonly Item[], params: ApiCall['params']) {
  const from = Number(text(params['pageToken']) || 0)
  const to = from + Number(text(params['maxResults']) || 100)
  return { items: all.slice(from, to), ...(to < all.length ? { nextPageToken: String(to) } : {}) }
}

function text(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : ''
}
