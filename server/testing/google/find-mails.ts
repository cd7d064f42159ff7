import type { Mailbox, StoredMail } from './mailbox.ts'
import { headerOf } from './mailbox.ts'

/** The mails that Gmail's search box would find with these words, as far as tests use them; newest first. */
export function findMails(mailbox: Mailbox, query: string, includeSpamTrash: boolean): StoredMail[] {
  const words = query.split(/\s+/).filter((word) => word !== '')
  const hidden = includeSpamTrash || /\bin:(trash|spam|anywhere)/.test(query) ? [] : ['TRASH', 'SPAM']
  return mailbox
    .list()
    .filter((mail) => !mail.labelIds.some((label) => hidden.includes(label)))
    .filter((mail) => words.every((word) => matches(mailbox, mail, word.toLowerCase())))
}

function matches(mailbox: Mailbox, mail: StoredMail, word: string): boolean {
  const [, operator, value = ''] = /^(from|to|subject|is|in|label|rfc822msgid):(.*)$/.exec(word) ?? []
  const holds = (header: string): boolean => headerOf(mail, header).toLowerCase().includes(value)
  switch (operator) {
    case 'from':
    case 'to':
    case 'subject':
      return holds(operator)
    case 'rfc822msgid':
      return holds('message-id')
    case 'is':
    case 'in':
    case 'label': {
      const label = mailbox.labels.find(({ name }) => name.toLowerCase() === value)
      return label !== undefined && mail.labelIds.includes(label.id)
    }
    default:
      return `${headerOf(mail, 'subject')} ${mail.snippet ?? ''}`.toLowerCase().includes(word)
  }
}
