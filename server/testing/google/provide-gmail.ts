import { createGmailConnector } from '../../integrations/google-connectors.ts'
import { createGmailApi, type GmailApi } from './gmail-api.ts'
import { provideGoogle, testAccount, type ProvidedGoogle } from './google-client.ts'
import type { Mailbox } from './mailbox.ts'

/** Provides the Gmail connector and its mailbox, new for each test of a file. */
export function provideGmail(): {
  readonly gmail: ProvidedGoogle<GmailApi>
  readonly mailbox: () => Mailbox
} {
  const gmail = provideGoogle(createGmailApi, createGmailConnector)
  return { gmail, mailbox: () => gmail.api.mailbox(testAccount) }
}
