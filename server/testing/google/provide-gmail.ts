import { createGmailConnector } from '../../integrations/google-connectors.ts'
import { createGmailApi } from './create-gmail-api.ts'
import type { GmailApi } from './create-gmail-api.ts'
import type { Mailbox } from './mailbox.ts'
import { testAccount } from './open-google-client.ts'
import { provideGoogle } from './provide-google.ts'
import type { ProvidedGoogle } from './provide-google.ts'

/** Gmail's connector and the mailbox behind it, new for each test of a file. */
export function provideGmail(): {
  readonly gmail: ProvidedGoogle<GmailApi>
  readonly mailbox: () => Mailbox
} {
  const gmail = provideGoogle(createGmailApi, createGmailConnector)
  return { gmail, mailbox: () => gmail.api.mailbox(testAccount) }
}
