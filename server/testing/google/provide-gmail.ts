import { createGmailConnector } from '../../integrations/google-connectors.ts'
import { createGmailApi } from './gmail-api.ts'
import type { GmailApi } from './gmail-api.ts'
import type { Mailbox } from './mailbox.ts'
import { provideGoogle, testAccount } from './google-client.ts'
import type { ProvidedGoogle } from './google-client.ts'

/** Provides the Gmail connector and its mailbox, new for each test of a file. */
export function provideGmail(): {
  readonly gmail: ProvidedGoogle<GmailApi>
  readonly mailbox: () => Mailbox
} {
  const gmail = provideGoogle(createGmailApi, createGmailConnector)
  return { gmail, mailbox: () => gmail.api.mailbox(testAccount) }
}
